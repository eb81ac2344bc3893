"""What people really asked: logs of a running system, as files and as database tables."""
