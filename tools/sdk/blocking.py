"""Python's blocking client from its asynchronous one: the same text without `async` and `await`."""

import re

# Modules that differ in more than words.
BY_HAND = {"waiting.py"}
WORDS = [
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait ", ""),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"__aiter__", "__iter__"),
    (r"\baclose\b", "close"),
    (r"\baread\b", "read"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b_async\b", "_sync"),
    (r"\bThe asynchronous\b", "The blocking"),
]


def module(source: str, name: str) -> str:
    """The blocking twin of one module."""
    text = source
    for pattern, replacement in WORDS:
        text = re.sub(pattern, replacement, text)
    head = f"# Generated from everwhen/_async/{name} by tools/sdk/generate; do not edit.\n"
    return head + text
