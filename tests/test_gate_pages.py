"""The pages on the gate: their policies and waivers can be read, their inputs exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from semiaudit.cli.output import VERDICT_FORMATS
from semiaudit.commands.check.command import check
from semiaudit.model.verdict import WORDS
from semiaudit.report import VERDICT_RENDERERS
from semiaudit.spec.policy.policy_reader import load_policy, load_waivers
from semiaudit.version import REPOSITORY
from tests.gate.specs import spec
from tests.places import ROOT

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMES = ("check.md", "policy.md", "ci.md")
PAGES = {name: (ROOT / "docs" / name).read_text("utf-8") for name in NAMES}


def test_the_policy_and_the_waivers_of_the_page_can_be_read(tmp_path: Path) -> None:
    blocks = [text for form, text in BLOCK.findall(PAGES["policy.md"]) if form == "yaml"]
    policy = next(text for text in blocks if text.startswith("semiaudit_policy"))
    assert load_policy(spec(tmp_path, policy)).distance == 2
    waivers = next(text for text in blocks if text.startswith("semiaudit_waivers"))
    assert [waiver.rule for waiver in load_waivers(spec(tmp_path, waivers))] == ["SA013", "SA002"]


def test_pipelines_install_from_the_repository_as_the_page_on_installing_does() -> None:
    assert "not on the package index yet" in (ROOT / "docs" / "install.md").read_text("utf-8")
    installs = re.findall(r"pip install [^'\"]*(['\"])(.*?)\1", PAGES["ci.md"])
    assert [name for _, name in installs] == [f"semiaudit[data] @ git+{REPOSITORY}@v0.1.0"] * 2


def test_the_arguments_of_the_hook_are_options_of_check() -> None:
    given = re.findall(r"`\[(--policy[^]`]*)\]`", PAGES["ci.md"])
    assert any("--waivers" in text and "--baseline" in text for text in given)
    known = {name for option in check.params for name in option.opts}
    assert {word for text in given for word in text.split(", ") if word[0] == "-"} <= known


def test_every_format_of_the_gate_has_a_renderer() -> None:
    assert set(VERDICT_FORMATS) == set(VERDICT_RENDERERS)


def test_the_page_has_the_one_table_of_words_for_verdicts() -> None:
    table = PAGES["check.md"].partition("## The words for verdicts")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("|")][2:]
    shown = {
        value: word.strip() for word, values in rows for value in re.findall(r"`(\w+)`", values)
    }
    assert shown == {
        "holds": "passed", "exceeds": "failed", "unaudited": "error", "internal": "error",
        "audited": "no budget",
    }  # fmt: skip
    assert shown == WORDS


@pytest.mark.parametrize("form", ["yaml"])
def test_every_ci_example_is_yaml_and_names_inputs_that_the_action_has(form: str) -> None:
    action = yaml.safe_load((ROOT / ".github/actions/semiaudit/action.yml").read_text("utf-8"))
    blocks = [yaml.safe_load(text) for name, text in BLOCK.findall(PAGES["ci.md"]) if name == form]
    assert len(blocks) == 3
    steps = next(b for b in blocks if "jobs" in b)["jobs"]["semiaudit"]["steps"]
    used = next(s for s in steps if "/.github/actions/semiaudit@" in s["uses"])["with"]
    assert set(used) <= set(action["inputs"])
    for name in action["inputs"]:
        assert f"`{name}`" in PAGES["ci.md"]
