"""No task is lost, whenever the workers die."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future

import pytest

from semiaudit.checking.dispatch import Dispatcher
from semiaudit.checking.executors import WorkerDiedError
from semiaudit.checking.job import AuditTask, Result


class Dying:
    """Workers that die at some of the chunks sent to them."""

    number = 2

    def __init__(self, broken: set[int]) -> None:
        self.broken, self.sent = broken, 0

    def submit(self, tasks: Sequence[AuditTask]) -> Future[list[Result]]:
        self.sent += 1
        future: Future[list[Result]] = Future()
        if self.sent in self.broken:
            future.set_exception(WorkerDiedError())
        else:
            future.set_result([Result(task.index, "holds", "line") for task in tasks])
        return future

    def lost(self) -> str:
        return ""

    def alone(self) -> Dying:
        return self

    def renew(self) -> None:
        pass

    stop = close = renew


@pytest.mark.parametrize("broken", [set(), {1}, {1, 2}, {3, 4}, {5, 6, 7, 8}, {2, 10}])
def test_every_task_has_one_result_whenever_workers_die(broken: set[int]) -> None:
    tasks = [AuditTask(index, str(index)) for index in range(9)]
    dispatcher = Dispatcher(Dying(broken), 1.0, lambda: False)
    found = sorted(result.index for result in dispatcher.results(iter(tasks)))
    assert found == list(range(9))


class Leaving(Dying):
    """Workers whose scheduler goes after some chunks: all others fail."""

    def lost(self) -> str:
        return "gone" if self.sent > 4 else ""


@pytest.mark.parametrize("broken", [{5, 6}, {2, 5, 6}])
def test_tasks_behind_a_lost_scheduler_are_not_reached(broken: set[int]) -> None:
    tasks = [AuditTask(index, str(index)) for index in range(9)]
    found = [r.outcome for r in Dispatcher(Leaving(broken), 1, lambda: False).results(iter(tasks))]
    assert found
    assert len(found) < 9
    assert set(found) == {"holds"}
