"""A request to end a run: what it interrupts, and what it leaves alone."""

from __future__ import annotations

import pytest

from semiaudit.checking import gate
from semiaudit.checking.interruption import Stop
from semiaudit.model.data_source import CONFINED
from semiaudit.model.policy import NO_GATE


def test_the_first_request_interrupts_an_audit_alone() -> None:
    stop = Stop()
    with pytest.raises(KeyboardInterrupt), stop.interrupting():
        stop.ask()
    assert stop()
    quiet = Stop()
    quiet.ask()
    assert quiet()
    with pytest.raises(KeyboardInterrupt), quiet.interrupting():
        pytest.fail("no audit begins after a request")


def test_the_second_request_interrupts_whatever_is_done() -> None:
    stop = Stop()
    with stop.interrupting():
        pass
    stop.ask()
    with pytest.raises(KeyboardInterrupt):
        stop.ask()


@pytest.mark.parametrize("asked", [True, False])
def test_an_interrupt_that_nobody_asked_for_is_not_taken_for_a_request(
    asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = Stop()

    def ended(*_: object, **__: object) -> None:
        if asked:
            stop.ask()
        raise KeyboardInterrupt

    monkeypatch.setattr(gate, "verdict_of", ended)
    audits = gate.in_turn(["a", "b"], NO_GATE, time_limit=1, access=CONFINED, stop=stop)
    if asked:
        assert list(audits) == []
    else:
        with pytest.raises(KeyboardInterrupt):
            list(audits)
