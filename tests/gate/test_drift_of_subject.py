"""Drift of the dataspace: a smaller one makes every number look better."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semiaudit.cli import main
from tests.gate.specs import HOLDS
from tests.gate.test_baseline import told

NEST = HOLDS.replace(
    "{a: 2, b: 2, c: 2}", "{a: [x, y], b: 2, c: {levels: {x: [1, 2], y: [3]}, within: a}}"
)
FLAT = NEST.replace("{levels: {x: [1, 2], y: [3]}, within: a}", "[1, 2, 3]")
LISTED = (
    "semiaudit: 1\ndataspace: {datasets: [[0, 0], [0, 1], [1, 0], [1, 1]]}\n"
    "mechanism: {zcdp: {rho: 1}}\n"
)
CHANGES = {
    "size 100 → 2": (HOLDS, HOLDS.replace("size: 100", "size: 2")),
    "size 100 → not fixed": (HOLDS, HOLDS.replace("size: 100, ", "")),
    "levels of c 2 → 1": (HOLDS, HOLDS.replace("c: 2", "c: 1")),
    "attribute c is gone": (HOLDS, HOLDS.replace(", c: 2", "")),
    "attribute d is new": (HOLDS, HOLDS.replace("c: 2", "c: 2, d: 2")),
    "size 100 → 2; levels of c 2 → 1": (
        HOLDS,
        HOLDS.replace("size: 100", "size: 2").replace("c: 2", "c: 1"),
    ),
    "the restriction (no a=0, c=1) is new": (
        HOLDS,
        HOLDS.replace("c: 2}}", "c: 2}, impossible: [{a: 0, c: 1}]}"),
    ),
    "the restriction (c within a) is new": (FLAT, NEST),
    "the restriction (c within a) is gone": (NEST, FLAT),
    "datasets 4 → 3": (LISTED, LISTED.replace(", [1, 1]]", "]")),
    "a list of datasets → all datasets over some values": (
        LISTED,
        LISTED.replace("datasets: [[0, 0], [0, 1], [1, 0], [1, 1]]", "product: {size: 2, "
                       "values: [0, 1]}"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", ["check", "analyze"])
@pytest.mark.parametrize("change", CHANGES)
def test_another_dataspace_is_drift_whatever_the_numbers(
    change: str, form: str, tmp_path: Path
) -> None:
    before, after = CHANGES[change]
    (found,) = [m for m in told(tmp_path, before, after, form) if "dataspace" in m]
    assert found == (
        f"the dataspace changed: {change}; the two audits are about other datasets, so write a new "
        "baseline if the change is intended"
    )
    assert told(tmp_path, after, after, form) == []


def test_causes_come_first_and_the_guarantees_of_others_share_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.yaml").write_text(HOLDS, "utf-8")
    assert main(["check", "x.yaml", "-o", "json=base.json"]) == 0
    text = HOLDS.replace("rho: 0.5}", "rho: 0.52}").replace("{size: 100", "{unit: visit, size: 99")
    Path("x.yaml").write_text(text.replace("[b]]", "[b], margin: [a, c]]"), "utf-8")
    capsys.readouterr()
    assert main(["check", "x.yaml", "--baseline", "base.json", "-o", "json=new.json"]) == 1
    found = json.loads(Path("new.json").read_text("utf-8"))["verdicts"][0]["findings"]
    drifted = [f["message"] for f in found if f["rule"] == "SA027"]
    begun = ["margin [a, c]", "the unit is", "the dataspace", "ρ of Advertised", "ρ of Semi-DP"]
    assert [message.startswith(b) for message, b in zip(drifted, begun, strict=False)] == [True] * 5
    assert len(drifted) == 8
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("SA027)") == 6
    assert (
        "also weaker: ρ of Group privacy 4.5 → 4.68; ρ of DP subject to invariants 0.5 → 0.52; ρ "
        "of Subspace DP 0.5 → 0.52" in shown
    )
