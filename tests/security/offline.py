"""Run the suite in a network namespace that has nothing but its own loopback interface.

    python -m tests.security.offline [ARGUMENTS OF PYTEST]

Linux only: `unshare`, of util-linux, makes the namespace. Tests that start a cluster of workers on
this machine need the loopback interface.
"""

from __future__ import annotations

import fcntl
import socket
import struct
import subprocess
import sys

INSIDE = "--inside"
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1
INSTALLS = (
    "tests/security/test_isolation.py::"
    "test_the_action_installs_with_the_pip_of_python_and_not_of_the_checkout"
)
"""Left out: it asks an index for packages, as every installation does."""


def loopback_up() -> None:
    """Start the loopback interface of a new namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


def reaches_a_network() -> bool:
    """Whether a packet can leave the namespace, to an address that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return False
        return True


def main() -> int:
    """Enter a namespace, then run pytest in it."""
    if INSIDE not in sys.argv:
        own = [sys.executable, "-m", "tests.security.offline", INSIDE, *sys.argv[1:]]
        unshare = ["unshare", "--user", "--map-root-user", "--net"]
        return subprocess.run([*unshare, *own], check=False).returncode
    loopback_up()
    if reaches_a_network():
        sys.stderr.write("a network is reached from inside the namespace\n")
        return 2
    arguments = [one for one in sys.argv[1:] if one != INSIDE] or ["-q", "-n", "2"]
    command = [sys.executable, "-m", "pytest", "--deselect", INSTALLS, *arguments]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
