"""What a person types: the way in, help, and a module for each command."""
