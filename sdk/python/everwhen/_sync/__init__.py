# Generated from everwhen/_async/__init__.py by tools/sdk/generate; do not edit.
"""The blocking client."""
