"""rageval inside pytest: questions and the gate as tests."""
