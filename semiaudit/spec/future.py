"""What the format's later versions will know: recognised by name, and refused by name."""

from __future__ import annotations

FUTURE = {"mechanism": {"swapping": "a system"}}
"""Keys of the format's later versions: recognised, and refused by name."""
