"""What is skipped on a second run, and what is not."""

from __future__ import annotations

import os
import stat
from datetime import date
from pathlib import Path

import pytest

from semiaudit.checking import job
from semiaudit.checking.job import AuditTask, Settings, inputs_of, run_task
from semiaudit.checking.journal import Journal, JournalEntry
from semiaudit.checking.record import record_of_text
from semiaudit.errors import OutputError
from semiaudit.model.policy import GateOptions
from tests.checking.batches import batch, batch_here, rows_of, spec_file

SETTINGS = Settings(60, 100, GateOptions(today=date(2026, 1, 1)), key=b"k" * 32)


def fingerprint(path: Path, settings: Settings = SETTINGS) -> str:
    result = run_task(AuditTask(0, str(path)), settings)
    return record_of_text(JournalEntry, result.line).fingerprint


def skipped(path: Path, known: str, settings: Settings = SETTINGS) -> bool:
    return run_task(AuditTask(0, str(path), known), settings).outcome is None


def with_rows(folder: Path) -> Path:
    path = spec_file(folder, "rows")
    text = path.read_text().replace("size: 10, ", "").replace("[f, m]", "[0, 1]")
    path.write_text(text.replace("{margins: {sex: [4, 6]}}", "{records: rows.csv}"))
    (folder / "rows.csv").write_text("sex,degree\n0,yes\n1,no\n0,no\n")
    return path


def test_an_unchanged_spec_is_skipped_and_a_changed_one_is_not(tmp_path: Path) -> None:
    path = spec_file(tmp_path, "a")
    known = fingerprint(path)
    assert skipped(path, known)
    path.write_text(path.read_text() + "# a comment\n")
    assert not skipped(path, known)


def test_a_changed_data_file_is_seen_even_with_its_old_time_and_size(tmp_path: Path) -> None:
    path = with_rows(tmp_path)
    known = fingerprint(path)
    assert known
    assert skipped(path, known)
    rows = tmp_path / "rows.csv"
    before = rows.stat()
    rows.write_text("sex,degree\n1,yes\n1,no\n0,no\n")
    os.utime(rows, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert rows.stat().st_size == before.st_size
    assert not skipped(path, known)


def test_a_file_that_a_matrix_names_counts_too(tmp_path: Path) -> None:
    path = spec_file(tmp_path, "matrix")
    text = path.read_text().replace("{margin: [sex]}", "{linear: rows.csv}, {margin: [sex]}")
    path.write_text(text)
    (tmp_path / "rows.csv").write_text("1,1,0,0\n")
    names = [Path(name).name for name, _, _ in inputs_of(str(path)).files]
    assert names == ["matrix.semiaudit.yaml", "rows.csv"]


def test_another_version_or_option_audits_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = spec_file(tmp_path, "a")
    known = fingerprint(path)
    assert not skipped(path, known, Settings(59, 100, SETTINGS.gate, key=SETTINGS.key))
    assert not skipped(path, known, Settings(60, 100, SETTINGS.gate, key=b"other"))
    assert skipped(
        path, known, Settings(60, 100, GateOptions(today=date(2027, 1, 1)), key=SETTINGS.key)
    )
    job._environment.cache_clear()
    monkeypatch.setattr(job, "__version__", "99.0")
    try:
        assert not skipped(path, known)
    finally:
        job._environment.cache_clear()


def test_where_waivers_expire_another_day_audits_again(tmp_path: Path) -> None:
    path = spec_file(tmp_path, "a", budget="1")
    what = "rule: SA013, framework: semi_dp, measure: rho, accepted: 3"
    waiver = f"{{{what}, reason: agreed, approver: board, expires: 2026-06-01}}"
    path.write_text(path.read_text() + f"waivers: [{waiver}]\n")
    result = run_task(AuditTask(0, str(path)), SETTINGS)
    assert result.outcome == "holds"
    later = Settings(60, 100, GateOptions(today=date(2026, 7, 1)), key=SETTINGS.key)
    known = record_of_text(JournalEntry, result.line).fingerprint
    assert skipped(path, known)
    assert run_task(AuditTask(0, str(path), known), later).outcome == "exceeds"


def test_what_was_not_audited_or_reads_an_engine_is_never_skipped(tmp_path: Path) -> None:
    broken = spec_file(tmp_path, "broken", rho="-1")
    assert fingerprint(broken) == ""
    engine = spec_file(tmp_path, "engine")
    engine.write_text(
        engine.read_text().replace("title: The", "title: engine\nleaves_out: [engine] #")
    )
    assert fingerprint(engine) == ""


def test_a_second_run_gives_the_same_rows_and_writes_missing_reports_again(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        spec_file(tmp_path / "specs", name)
    options = ("specs", "--resume", "state", "--reports", "reports", "-o")
    (tmp_path / "state").mkdir()
    first = batch(tmp_path, *options, "csv=first.csv")
    assert first.returncode == 0, first.stderr
    journal = tmp_path / "state" / "semiaudit-batch.journal"
    key = journal.with_name(journal.name + ".key")
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_bytes().hex() not in journal.read_text()
    kept = tmp_path / "reports" / "a.semiaudit.yaml.json"
    (tmp_path / "reports" / "b.semiaudit.yaml.md").unlink()
    spec_file(tmp_path / "specs", "c", budget="1")
    before = kept.stat().st_mtime_ns
    second = batch(tmp_path, *options, "csv=second.csv")
    assert second.returncode == 1
    assert "1 of them unchanged" in second.stdout
    assert kept.stat().st_mtime_ns == before
    assert (tmp_path / "reports" / "b.semiaudit.yaml.md").exists()
    ours, theirs = rows_of(tmp_path / "first.csv"), rows_of(tmp_path / "second.csv")
    assert ours[0] == theirs[0]
    assert [row["outcome"] for row in theirs] == ["holds", "holds", "exceeds"]


def test_a_journal_cut_in_the_middle_of_a_line_loses_that_line_only(tmp_path: Path) -> None:
    for name in ("a", "b"):
        spec_file(tmp_path / "specs", name)
    batch_here(tmp_path, "specs", "--resume", "journal")
    journal = tmp_path / "journal"
    journal.write_bytes(journal.read_bytes()[:-40])
    again = batch_here(tmp_path, "specs", "--resume", "journal")
    assert again.returncode == 0, again.stderr
    assert "1 of them unchanged" in again.stdout


def test_a_run_that_ends_early_keeps_the_verdicts_of_the_specs_that_it_did_not_reach(
    tmp_path: Path,
) -> None:
    paths = [str(spec_file(tmp_path, name)) for name in "abc"]
    lines = [run_task(AuditTask(at, path), SETTINGS).line for at, path in enumerate(paths)]
    file = tmp_path / "journal"
    first = Journal(paths, str(file))
    for at in (0, 1):
        first.append(at, lines[at])
    first.close()
    whole = file.read_bytes()
    Journal(paths, str(file)).close()
    assert file.read_bytes() == whole
    third = Journal(paths, str(file))
    third.append(2, lines[2])
    third.close()
    last = Journal(paths, str(file))
    assert [last.known(path) is not None for path in paths] == [True, True, True]
    last.close()


def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path: Path) -> None:
    spec_file(tmp_path / "specs", "a")
    path = spec_file(tmp_path, "other")
    before = path.read_bytes()
    done = batch(tmp_path, "specs", "--resume", str(path))
    assert done.returncode == 2
    assert "is not a journal of a batch" in done.stderr
    assert path.read_bytes() == before


def test_a_journal_of_another_layout_is_refused_and_left_alone(tmp_path: Path) -> None:
    spec_file(tmp_path / "specs", "a")
    journal = tmp_path / "journal"
    before = b'"semiaudit batch journal 1"\n["a"]\n'
    journal.write_bytes(before)
    done = batch(tmp_path, "specs", "--resume", str(journal))
    assert done.returncode == 2
    assert "is the journal of another version; remove it, or name another file" in done.stderr
    assert journal.read_bytes() == before


@pytest.mark.parametrize("which", ["journal", "journal.key"])
@pytest.mark.parametrize("kind", ["symlink", "hard link", "pipe", "other file"])
def test_a_journal_and_its_key_lead_to_no_other_file(which: str, kind: str, tmp_path: Path) -> None:
    spec_file(tmp_path / "specs", "a")
    precious = tmp_path / "precious"
    precious.write_bytes(b"-----BEGIN PRIVATE KEY-----\n" * 3)
    precious.chmod(0o600)
    before = precious.read_bytes()
    match kind:
        case "symlink":
            (tmp_path / which).symlink_to(precious)
        case "hard link":
            os.link(precious, tmp_path / which)
        case "pipe":
            os.mkfifo(tmp_path / which, 0o600)
        case "other file":
            (tmp_path / which).write_bytes(before)
    done = batch(tmp_path, "specs", "--resume", "journal")
    assert done.returncode == 2
    assert done.stderr.startswith(which), done.stderr
    assert precious.read_bytes() == before
    if kind == "other file":
        assert (tmp_path / which).read_bytes() == before


def test_a_key_that_cannot_be_opened_is_the_file_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "journal.key").mkdir()
    with pytest.raises(OutputError, match=r"journal\.key: cannot be written"):
        Journal(["a"], str(tmp_path / "journal"))
