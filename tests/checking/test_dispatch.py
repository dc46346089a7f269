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

    def stop(self) -> None:
        pass

    def close(self) -> None:
        pass


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


class Closing(Dying):
    """Workers that cannot be reached any more once they were let go."""

    closed = False

    def close(self) -> None:
        self.closed = True

    def lost(self) -> str:
        return "gone" * self.closed


def test_a_scheduler_that_ends_after_all_work_is_not_missed() -> None:
    workers = Closing(set())
    dispatcher = Dispatcher(workers, 1.0, lambda: False)
    assert len([*dispatcher.results(iter([AuditTask(0, "a")]))]) == 1
    assert (workers.closed, dispatcher.lost) == (True, "")
