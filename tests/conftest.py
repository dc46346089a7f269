"""Commands that the tests start: they hear signals, and are compiled once.

Signals that whoever runs the tests ignores are not ignored by the commands.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.bytecode import bytecode_in
from tests.places import LONGEST, ROOT
from tests.samples import leave_out_cases

if TYPE_CHECKING:
    from xdist.scheduler import LoadFileScheduling

for _number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(_number) == signal.SIG_IGN:
        _interrupts = _number == signal.SIGINT
        signal.signal(_number, signal.default_int_handler if _interrupts else signal.SIG_DFL)


def pytest_configure(config: pytest.Config) -> None:
    """Before any module of tests is imported. A busy machine fails no random test."""
    busy = [HealthCheck.too_slow]
    settings.register_profile("busy", deadline=None, suppress_health_check=busy)
    settings.load_profile("busy")
    leave_out_cases(config.getoption("markexpr"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In workers, first the files that take longest, then those with the most tests."""
    if hasattr(config, "workerinput"):
        number = Counter(item.path for item in items)
        places = {ROOT / name: place for place, name in enumerate(LONGEST)}
        items.sort(key=lambda item: (places.get(item.path, len(places)), -number[item.path]))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected lives until the end: no search for garbage looks at it, then or later.

    From Python 3.14 on, Hypothesis searches for who refers to its random numbers, among what is not
    frozen.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        if sys.version_info < (3, 14):
            gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """With ``-n``, the tests of a file run in one process, so that they share what it keeps."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # the order of pytest_collection_modifyitems
    return LoadFileScheduling(config, log)


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where Python may write no bytecode beside the sources, commands share a temporary cache.

    Each would otherwise compile the whole package anew, which takes as long as to import it.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode and "PYTHONPYCACHEPREFIX" not in os.environ:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(bytecode_in(folder)))
        yield
