"""Signals in destructors, and the number of threads of numpy and scipy."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import weakref

import pytest

from semiaudit import process

SHOW = "print(os.environ['OPENBLAS_NUM_THREADS'], os.environ['OMP_NUM_THREADS'])"


@pytest.mark.parametrize(("given", "expected"), [({}, "1 1"), ({"OMP_NUM_THREADS": "3"}, "1 3")])
def test_the_command_has_one_thread_unless_its_environment_sets_more(
    given: dict[str, str], expected: str
) -> None:
    code = (
        "import atexit, os, sys\n"
        f"atexit.register(lambda: {SHOW})\n"
        "sys.argv = ['semiaudit', '--version']\n"
        "from semiaudit.__main__ import main\n"
        "main()"
    )
    inherited = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**inherited, **given}, capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == expected


class Freed:
    """What another object watches until nobody has it any more."""


@pytest.mark.parametrize("deep", [1, 2])
def test_a_signal_in_a_destructor_interrupts_what_follows_and_prints_nothing(
    deep: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python ignores what a destructor raises, also one that another destructor starts."""
    before = sys.unraisablehook, signal.signal(signal.SIGTERM, process.interrupt)
    sys.unraisablehook = sys.__unraisablehook__
    reached: list[str] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            watched(deep, reached)
        assert reached == ["destructor"]
        assert process.was_interrupted()
    finally:
        process.forget_interrupts()
        sys.unraisablehook = before[0]
        signal.signal(signal.SIGTERM, before[1])
    assert capsys.readouterr().err == ""


def watched(deep: int, reached: list[str]) -> None:
    """Free an object whose destructor gets a signal."""
    freed = Freed()

    def destructor(_: weakref.ref[Freed]) -> None:
        reached.append("destructor")
        if deep > 1:
            watched(deep - 1, [])
        signal.raise_signal(signal.SIGTERM)
        reached.append("after the signal")

    watch = weakref.ref(freed, destructor)
    del freed
    reached.append("after the destructor")
    assert watch() is None


def test_many_signals_leave_one_hook() -> None:
    """A worker that gives up one spec after the other does not remember each of them."""
    before, sys.unraisablehook = sys.unraisablehook, sys.__unraisablehook__
    try:
        hooks = set()
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                process.raise_after_imports(KeyboardInterrupt, None)
            hooks.add(sys.unraisablehook)
    finally:
        sys.unraisablehook = before
    assert len(hooks) == 1


def test_other_errors_of_destructors_are_still_shown_after_a_signal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before, sys.unraisablehook = sys.unraisablehook, sys.__unraisablehook__
    try:
        with pytest.raises(KeyboardInterrupt):
            process.raise_after_imports(KeyboardInterrupt, None)

        def destructor(_: weakref.ref[Freed]) -> None:
            raise ValueError("of a destructor")

        freed = Freed()
        watch = weakref.ref(freed, destructor)
        del freed
        assert watch() is None
    finally:
        sys.unraisablehook = before
    assert "ValueError: of a destructor" in capsys.readouterr().err
