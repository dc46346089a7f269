"""A required verification of code: by its verdict, its confidence, and the hashes of both files."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import pytest

from semiaudit.cli import main

SPEC = """semiaudit: 1
dataspace: {size: 100, attributes: {sex: 2}}
mechanism: {gaussian: {sigma: 4, query: table}}
budgets:
  - {framework: semi_dp, rho: 1}
"""
OWN = "  - {verification: {confidence: 0.95}}\n"
SHOWN = "has counts that do not show its verdict"
POLICY = "semiaudit_policy: 1\nbudgets: [{verification: {confidence: 0.9}}]\n"


TEST = {
    "kind": "epsilon",
    "claim": 1.0,
    "delta": 0.0,
    "bound": 0.1,
    "rejects": False,
    "hits": [200, 120],
    "runs": [310, 290],
    "detectable": 2.2,
    "controls": [False, True, True],
}
WRONG_TESTS: list[dict[str, Any]] = [
    {"hits": [250, 20]},  # the bound is above 2
    {"hits": [311, 290]},
    {"runs": [3100, 2900]},
    {"rejects": True},
    {"detectable": None},
    {"detectable": 3.1},
    {"controls": [True, True, False]},
    {"controls": []},
    {"kind": "nothing"},
    {"kind": "e_process", "claim": None, "bound": 4},  # ln(2/.05) is 3.7
]
ONE_RUN = {**TEST, "kind": "one_run", "hits": [70, 0], "runs": [100, 100], "controls": []}


def record(folder: Path, **changes: Any) -> None:
    """A report of verify on the files of a folder, with changes."""
    digests = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("release.yaml", "release.py")
    }
    report = {
        "complete": True,
        "coins": True,
        "runs": [420, 380],
        "first": 200,
        "moves": None,
        "failures": [],
        "findings": [],
        "pair": {"inside": True},
        "tests": [TEST],
        "spec": {"sha256": digests["release.yaml"]},
        "verdict": "consistent",
        "confidence": 0.95,
        "code": [{"path": "release.py", "sha256": digests["release.py"]}],
    }
    (folder / "release.verify.json").write_text(json.dumps(report | changes), encoding="utf-8")


@pytest.mark.parametrize(("own", "policy"), [(OWN, ()), ("", ("--policy", "policy.yaml"))])
def test_a_verification_must_match_the_spec_and_the_code(
    own: str,
    policy: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "release.yaml").write_text(SPEC + own, encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "release.py").write_text("print(1)\n", encoding="utf-8")

    def check() -> tuple[int, str]:
        code = main(["check", "release.yaml", *policy])
        return code, " ".join(capsys.readouterr().out.split())

    assert check()[0] == 1
    record(tmp_path)
    assert check()[0] == 0
    outside = [{"path": "../release.py", "sha256": ""}]
    cases: list[tuple[dict[str, Any], str]] = [
        ({"verdict": "undecided"}, "says undecided"),
        ({"confidence": 0.5}, "has a confidence below 0.9"),
        ({"spec": {"sha256": "0"}}, "is about another spec"),
        ({"code": []}, "names no file of the code"),
        ({"code": outside}, "../release.py cannot be read in the folder of the spec"),
        ({"code": 3}, "is not a report of verify"),
        ({"confidence": math.inf}, "is not a report of verify"),
        ({"confidence": True}, "has a confidence below"),
        ({"complete": False}, "is not complete"),
        ({"coins": "no", "tests": [{**TEST, "hits": [3, 1e999]}]}, "is not a report of verify"),
        ({"tests": []}, SHOWN),  # a pair outside of D_t, or nothing tested
        ({"pair": {"inside": False}}, SHOWN),
        ({"findings": [{"number": "a"}]}, SHOWN),
        ({"failures": [{"on_x": 301, "on_y": 0}]}, SHOWN),
        ({"first": -200}, SHOWN),
        *(({"tests": [{**TEST, **change}]}, SHOWN) for change in WRONG_TESTS),
        ({"moves": 100, "tests": [{**ONE_RUN, "hits": [95, 0]}]}, SHOWN),  # refutes the claim
        ({"moves": 100, "tests": [{**ONE_RUN, "hits": [52, 0]}]}, SHOWN),  # no better than chance
        ({"moves": 90, "tests": [ONE_RUN]}, SHOWN),
    ]
    for changes, why in cases:
        record(tmp_path, **changes)
        code, text = check()
        assert (code, why in text) == (1, True), text
    whole = (tmp_path / "release.verify.json").read_text("utf-8")
    for text in (whole[:-9], "[" * 100_000, "null", ""):
        (tmp_path / "release.verify.json").write_text(text, encoding="utf-8")
        code, said = check()
        assert (code, "is not a report of verify" in said) == (1, True), said
    record(tmp_path, moves=100, tests=[ONE_RUN])
    assert check()[0] == 0
    record(tmp_path)
    (tmp_path / "release.py").write_text("print(2)\n", encoding="utf-8")
    code, text = check()
    assert (code, "release.py has changed" in text) == (1, True)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("{verification: {confidence: 1}}", "confidence"),
        ("{verification: {confidence: 0.9}, framework: semi_dp}", "verification stands alone"),
        ("{rho: 1}", "framework is missing"),
    ],
)
def test_a_wrong_item_of_budgets_is_named(
    item: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "release.yaml").write_text(f"{SPEC}  - {item}\n", encoding="utf-8")
    assert main(["check", str(tmp_path / "release.yaml")]) == 2
    assert message in capsys.readouterr().out
