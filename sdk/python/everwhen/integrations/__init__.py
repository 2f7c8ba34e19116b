"""Adapters for agent frameworks. Each module imports its framework, and nothing else here imports the modules."""
