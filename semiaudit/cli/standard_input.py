"""A spec that comes on standard input, which `-` stands for."""

from __future__ import annotations

import sys

from semiaudit.errors import SemiauditError

STANDARD_INPUT = "-"
"""The name of standard input, as a SPEC or a PATH, and in reports and messages."""


def spec_of_standard_input() -> bytes:
    """What stands on standard input, up to one byte more than a spec may have.

    Raises:
        SemiauditError: it is closed, or cannot be read.
    """
    from semiaudit.spec.yaml12 import MAX_BYTES

    if sys.stdin is None:
        raise SemiauditError(f"{STANDARD_INPUT}: standard input is closed; name a file")
    try:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        why = error.strerror or error
        raise SemiauditError(f"{STANDARD_INPUT}: standard input cannot be read ({why})") from None
