"""Parquet files whose metadata lie: about their values, their sizes, their names, their schema."""

from __future__ import annotations

import json
import struct
from typing import Any

from tests.fuzz.attacks.grounds import SECRET, ran, read, unsound, write
from tests.fuzz.chance import Chance

TABLED = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\ninvariants: [margin: [a], margin: [b]]\n"
    "data: {table: t.parquet}\nmechanism: {zcdp: {rho: 1}}\n"
)
COUNTS = (3, 1, 2, 4)
NO_COUNT = -77_777
"""A cell that is no count, whose bytes are found again in the statistics."""

NAMES = ("a\x00", "a\n", '"; DROP TABLE x', "\u202ea", "A", "", "a" * 70_000, "count", "=1+1")
MOST_ROWS = 3_000_000


def hostile_parquet(chance: Chance, folder: str) -> list[str]:
    """A table in a Parquet file that is damaged, or that says of itself what is not so."""
    how = chance.choice(
        ["flip", "flip", "statistics", "rows", "names", "nested", "large", "keys", "magic", "types"]
    )
    line = ("analyze", "x.yaml", "--format", "json", "--time-limit", "1")
    write("x.yaml", TABLED)
    made(chance, how)
    ended = ran(*line)
    wrong = unsound(ended, (2,) if how == "statistics" else (0, 1, 2))
    if ended.seconds > 6:
        wrong.append(f"{ended.seconds:.1f} s of the processor")
    if how in ("flip", "rows", "keys") and ended.code == 0 and not is_honest(ended.out):
        wrong.append("another table was audited")
    return [f"{how}: {what}" for what in wrong]


def is_honest(report: str) -> bool:
    """Whether a(t) is that of the table: 3 with two margins (Cho and Awan, Example 5)."""
    found: Any = json.loads(report)
    return bool(found["semi_adjacency"]["value"] == 3)


def made(chance: Chance, how: str) -> None:
    """Write ``t.parquet``."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    counts = [*COUNTS]
    if how == "statistics":
        counts[chance.randrange(4)] = NO_COUNT
    columns: dict[str, Any] = {"a": ["0", "0", "1", "1"], "b": ["0", "1", "0", "1"]}
    columns["count"] = pa.array(counts, pa.int64())
    columns["remark"] = [SECRET] * 4
    match how:
        case "names":
            columns[chance.choice(NAMES)] = [1, 2, 3, 4]
        case "nested":
            value: Any = 1
            for _ in range(chance.choice([3, 50, 300])):
                value = {"a": value}
            columns[chance.choice(["b", "z"])] = [value] * 4
        case "large":
            rows = chance.choice([100_000, MOST_ROWS])
            columns = {name: pa.array(["0"]).take(pa.array([0] * rows)) for name in "ab"}
            columns["count"] = pa.array([1], pa.int64()).take(pa.array([0] * rows))
        case "types":
            columns[chance.choice(["a", "count"])] = chance.choice(
                [
                    pa.array([1.5, float("nan"), float("inf"), -0.0]),
                    pa.array([b"\xff", b"\x00", b"", None]),
                    pa.array([True, False, None, True]),
                    pa.array([10**18, -(10**18), 0, None], pa.int64()),
                    pa.array([1, 2, 3, 4], pa.timestamp("ns")),
                    pa.array([[1], [], None, [2]]),
                ]
            )
    table = pa.table(columns)
    if how == "keys":
        odd = {SECRET: "x" * chance.choice([1, 10**6]), "ARROW:schema": "\xff", "": "", "geo": "{}"}
        table = table.replace_schema_metadata(odd)
    pq.write_table(table, "t.parquet", compression=chance.choice(["none", "snappy", "zstd"]))
    write("t.parquet", spoiled(chance, how, read("t.parquet")))


def spoiled(chance: Chance, how: str, content: bytes) -> bytes:
    """The file with a footer that is changed."""
    (length,) = struct.unpack("<I", content[-8:-4])
    start = len(content) - 8 - length
    footer = bytearray(content[start : start + length])
    match how:
        case "flip":
            for _ in range(chance.choice([1, 1, 2, 8])):
                footer[chance.randrange(length)] = chance.randrange(256)
        case "statistics":
            told = struct.pack("<q", NO_COUNT)
            return content[:start] + bytes(footer).replace(told, struct.pack("<q", 1)) + content[
                start + length :]  # fmt: skip
        case "rows":
            place = footer.find(b"\x16\x08")  # a number of four rows, as Thrift writes it
            if place >= 0:
                footer[place + 1] = chance.choice([0, 2, 6, 10, 126])
        case "magic":
            return chance.choice(
                [
                    b"PAR1", b"PAR1PAR1", content[:-4] + b"PARE", content[:-8] + b"\xff" * 4 + b"PAR1",  # noqa: E501
                    content[: len(content) // 2], b"\0" * 100, content + content,
                    content[:-8] + struct.pack("<I", length + 1000) + b"PAR1",
                ]
            )  # fmt: skip
    return content[:start] + bytes(footer) + content[start + length :]
