"""Reading what strangers wrote: every fault is a finding with its line, and the rest is still read."""

from __future__ import annotations

import json
import os
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argue_bench.errors import DataError
from argue_bench.records.untrusted import Limits, parse_json, read_json, read_lines


def code_of(raw: bytes, limits: Limits = Limits()) -> str:  # noqa: B008  (frozen)
    with pytest.raises(DataError) as caught:
        parse_json(raw, "f", 3, limits)
    (finding,) = caught.value.findings
    assert (finding.file, finding.line) == ("f", 3)
    assert finding.message
    assert finding.hint
    str(caught.value).encode()  # can be printed
    return finding.code


BAD = {
    "truncated": (b'{"id": "q1", "ans', "not-json"),
    "two values": (b"{} {}", "not-json"),
    "single quotes": (b"{'id': 1}", "not-json"),
    "trailing comma": (b'{"id": 1,}', "not-json"),
    "control character": (b'{"id": "a\x01"}', "not-json"),
    "bare text": (b"hello", "not-json"),
    "NUL": (b"\x00", "not-json"),
    "BOM inside": (b"\xef\xbb\xbf{}", "not-json"),
    "latin-1": (b'{"id": "\xe9"}', "not-utf-8"),
    "UTF-16": ('{"id": 1}'.encode("utf-16"), "not-utf-8"),
    "surrogate in UTF-8": (b'{"id": "\xed\xa0\x80"}', "not-utf-8"),
    "high surrogate": (rb'{"id": "\ud800"}', "lone-surrogate"),
    "low surrogate": (rb'{"id": "\udc00"}', "lone-surrogate"),
    "low surrogate, capitals": (rb'{"id": "\uDFFF"}', "lone-surrogate"),
    "surrogates the wrong way round": (rb'["\udc00\ud800"]', "lone-surrogate"),
    "surrogate key": (rb'{"\ud83d": 1}', "lone-surrogate"),
    "surrogate, deep": (rb'[[{"a": ["\ud83d x"]}]]', "lone-surrogate"),
    "surrogate key twice": (rb'{"\ud83d": 1, "\ud83d": 2}', "duplicate-key"),
    "NaN": (b'{"a": NaN}', "wrong-value"),
    "Infinity": (b"[Infinity]", "wrong-value"),
    "-Infinity": (b"[-Infinity]", "wrong-value"),
    "1e999": (b"[1e999]", "wrong-value"),
    "-1e999": (b"[-1e999]", "wrong-value"),
    "1e308": (b"[1e308]", "wrong-value"),
    "5,000 digits": (b"[" + b"9" * 5000 + b"]", "wrong-value"),
    "5,000 digits and a point": (b"[0." + b"9" * 5000 + b"]", "wrong-value"),
    "5,000 digits in the power": (b"[1e" + b"9" * 5000 + b"]", "wrong-value"),
    "duplicate keys": (b'{"id": 1, "id": 2}', "duplicate-key"),
    "duplicate keys, one escaped": (rb'{"id": 1, "\u0069d": 2}', "duplicate-key"),
    "duplicate keys inside": (b'{"a": [{"b": 1, "b": 1}]}', "duplicate-key"),
    "200,000 arrays": (b"[" * 200_000, "too-deep"),
    "200,000 arrays, closed": (b"[" * 200_000 + b"]" * 200_000, "too-deep"),
    "200,000 objects": (b'{"a":' * 200_000, "too-deep"),
    "33 arrays": (b"[" * 33 + b"]" * 33, "too-deep"),
    "deep behind a string with brackets": (b'["]]]]]]\\"]]",' + b"[" * 40 + b"]" * 41, "too-deep"),
    "a string that never closes": (b'["' + b"[" * 400_000, "not-json"),
    "escapes that never close": (b"[" * 20 + b'"' + b'\\"[' * 400_000, "not-json"),
}


@pytest.mark.parametrize(("raw", "code"), BAD.values(), ids=BAD)
def test_a_fault_is_one_finding(raw: bytes, code: str) -> None:
    start = time.process_time()
    assert code_of(raw) == code
    assert time.process_time() - start < 5


GOOD: dict[str, tuple[bytes, Any]] = {
    "32 arrays": (b"[" * 32 + b"]" * 32, json.loads("[" * 32 + "]" * 32)),
    "brackets in a string": (json.dumps("[{" * 500).encode(), "[{" * 500),
    "brackets in a row": (b"[" + b"[]," * 500 + b"0]", [*([[]] * 500), 0]),
    "a pair": (rb'"\ud83d\ude00"', "\U0001f600"),
    "an escaped backslash before ud800": (rb'"\\ud800"', r"\ud800"),
    "NaN as text": (b'"NaN"', "NaN"),
    "64 digits": (b"1" * 64, int("1" * 64)),
    "tiny": (b"1e-999", 0.0),
    "carriage return": (b'{"a": 1}\r\n', {"a": 1}),
    "NUL, escaped": (rb'"\u0000"', "\0"),
    "the same key at two levels": (b'{"a": {"a": 1}}', {"a": {"a": 1}}),
}


@pytest.mark.parametrize(("raw", "value"), GOOD.values(), ids=GOOD)
def test_what_is_right_is_read(raw: bytes, value: Any) -> None:
    assert parse_json(raw, "f", 1) == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text() | st.floats(-1e99, 1e99),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=200)
@given(JSON, st.booleans())
def test_any_honest_value_is_read(value: Any, escaped: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=escaped).encode(), "f", 1) == value


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\u0dD8eEN1.- \n').map(str.encode))
def test_any_bytes_are_a_value_or_a_finding(raw: bytes) -> None:
    try:
        value = parse_json(raw, "f", 1)
    except DataError as error:
        found = error.findings
    else:
        json.dumps(value, allow_nan=False).encode()
        found = ()
    assert len(found) <= 1


def write(folder: Path, raw: bytes) -> Path:
    path = folder / "answers.jsonl"
    path.write_bytes(raw)
    return path


def codes(path: Path, limits: Limits = Limits()) -> list[tuple[int, str, Any]]:  # noqa: B008
    return [
        (line.number, " ".join(finding.code for finding in line.findings), line.value)
        for line in read_lines(path, limits, "a")
    ]


def test_the_good_rest_is_read(tmp_path: Path) -> None:
    raw = b'\xef\xbb\xbf{"a": 1}\r\n\n{"a"\n \t \r\n{"a": 2}\n' + b"\x80\n" + b'{"a": 3}'
    assert codes(write(tmp_path, raw)) == [
        (1, "byte-order-mark", {"a": 1}),
        (2, "blank-line", None),
        (3, "not-json", None),
        (4, "blank-line", None),
        (5, "", {"a": 2}),
        (6, "not-utf-8", None),
        (7, "", {"a": 3}),
    ]


def test_a_long_line_is_skipped_and_the_next_is_read(tmp_path: Path) -> None:
    limits = Limits(line_bytes=10)
    raw = b'"' + b"x" * 8 + b'"\n' + b'"' + b"x" * 9 + b'"\n' + b"y" * 95 + b"\n1\n" + b"z" * 20
    assert codes(write(tmp_path, raw), limits) == [
        (1, "", "x" * 8),
        (2, "line-too-long", None),
        (3, "line-too-long", None),
        (4, "", 1),
        (5, "line-too-long", None),
    ]


def test_a_line_of_10_mb_is_never_held(tmp_path: Path) -> None:
    path = write(tmp_path, b'"' + b"x" * 10_000_000 + b'"\n1\n')
    tracemalloc.start()
    found = codes(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [(1, "line-too-long", None), (2, "", 1)]
    assert peak < 9_000_000


def test_reading_stops_where_lines_do_not_end(tmp_path: Path) -> None:
    assert codes(write(tmp_path, b"\n" * 9), Limits(lines=2))[2:] == [(3, "too-many", None)]


def refused(path: Path, limits: Limits = Limits()) -> str:  # noqa: B008
    with pytest.raises(DataError) as caught:
        list(read_lines(path, limits))
    with pytest.raises(DataError) as again:
        read_json(path, limits)
    (finding,) = caught.value.findings
    assert again.value.findings == caught.value.findings
    assert finding.file == str(path)
    assert finding.hint
    return finding.code


def test_no_file_to_read(tmp_path: Path) -> None:
    assert refused(tmp_path) == "unreadable"
    assert refused(tmp_path / "none") == "no-such-file"
    assert refused(tmp_path / ("n" * 5000)) == "unreadable"
    assert refused(Path("a\0b")) == "unreadable"
    assert refused(write(tmp_path, b"1") / "below") == "unreadable"
    assert refused(write(tmp_path, b"123456"), Limits(file_bytes=5)) == "too-large"


@pytest.mark.skipif(os.name == "nt", reason="needs links, pipes and devices")
def test_links_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "none")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "dangling") == "no-such-file"
    assert refused(tmp_path / "loop") == "unreadable"
    assert refused(tmp_path / "pipe") == "unreadable"
    assert refused(Path("/dev/zero")) == "unreadable"


def test_read_json_reads_one_value_with_a_byte_order_mark(tmp_path: Path) -> None:
    assert read_json(write(tmp_path, b'\xef\xbb\xbf{\n"a": [1]}\n')) == {"a": [1]}


def test_read_json_says_the_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 2 column 6"):
        read_json(write(tmp_path, b'{\n"a": }'))
