"""A required verification of code: by its verdict, its confidence, and the hashes of both files."""

from __future__ import annotations

import hashlib
import json
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
POLICY = "semiaudit_policy: 1\nbudgets: [{verification: {confidence: 0.9}}]\n"


def record(folder: Path, **changes: Any) -> None:
    """A report of verify on the files of a folder, with changes."""
    digests = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("release.yaml", "release.py")
    }
    report = {
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
    for changes, why in (
        ({"verdict": "undecided"}, "says undecided"),
        ({"confidence": 0.5}, "has a confidence below 0.9"),
        ({"spec": {"sha256": "0"}}, "is about another spec"),
        ({"code": []}, "names no file of the code"),
        ({"code": outside}, "../release.py cannot be read in the folder of the spec"),
        ({"code": 3}, "is not a report of verify"),
    ):
        record(tmp_path, **changes)
        code, text = check()
        assert (code, why in text) == (1, True), text
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
