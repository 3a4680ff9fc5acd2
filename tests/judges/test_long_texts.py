"""Long texts are indexed by the lexical judge, and read as sentence by sentence; a pass takes little room."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from argue_bench import load
from argue_bench.judges.lexical import reading
from argue_bench.judges.lexical.judge import Lexical
from argue_bench.judges.lexical.stems import fold
from argue_bench.records import (
    Entails,
    JudgeRequest,
    RelevanceGrade,
    Relevant,
    Source,
    SupportLevel,
    Verdict,
)
from argue_bench.text import sentences

RNG = np.random.default_rng(20)


def _requests() -> Iterator[JudgeRequest]:
    """Sentences of the embedded set, as they stand, shortened and joined, against all of its sample."""
    sample = load("core", split="sample")
    whole = Source("all", "\n\n".join(one.text for one in sample.documents.values()))
    said = [s for one in sample.documents.values() for s in sentences(one.text)]
    for question in sample:
        gold = question.gold
        assert gold is not None
        for sentence in map(str, (*RNG.choice(said, 8, replace=False), gold.answer)):
            words = sentence.split()
            half, two = " ".join(words[: len(words) // 2]), f"{sentence} {RNG.choice(said)}"
            for text in (sentence, half, two):
                yield Entails((whole,), text)
                yield SupportLevel((whole,), text)
        yield Relevant(whole, question.text, str(gold.answer))
        yield RelevanceGrade(whole, question.text)


def _verdicts(requests: list[JudgeRequest]) -> list[Verdict]:
    reading.forget_readings()
    judge = Lexical()
    return [judge.decide(one) for one in requests]  # type: ignore[misc]


def test_an_indexed_text_gets_the_verdicts_of_one_read_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    requests = list(_requests())
    monkeypatch.setattr(reading, "_LONG_SOURCE", 1_000_000)
    whole = _verdicts(requests)
    assert not isinstance(reading.read_source("One. Two."), reading.Long)
    monkeypatch.setattr(reading, "_LONG_SOURCE", 0)
    assert isinstance(reading.read_source("One. Two."), reading.Long)
    assert _verdicts(requests) == whole
    assert len({one.value for one in whole}) > 3  # yes, no, full, partial, a grade


FORMS = (
    "two|three weeks|21 days|twenty-one|TWENTY-One|vingt et un|2 km|deux km|2000 m|one km|un|5 m|cent|mille|100"
    "|two hundred|trois cent|300|two hundred and five|205|deux cent mille|200,000|2 million|2 000 000|$5m"
    "|$ 5 million|9k|9000|9:15|21h15|9:00|9|21|5 May|3 %|2011|2 thousand|2000|in 2000|1999-05-03|2011-00-05"
    "|0000-00-00|3 May 1999|May 1999|May 3|on 3 May|12 mars 2011|9 and 10 November 2021|le 7 sept. 2011|1234567"
    "|1,234,568|1.234567 million|0|0.5|a dozen|12|10 ha|0.1 km2|2 years|24 months|1951-52|1952|2nd|99 cents|31:15|፩"
)
SAID = (*FORMS.split("|"), "9" * 400, "trois cent " * 40)


def test_an_indexed_text_states_the_values_that_its_sentences_state() -> None:
    wanted = [value for said in SAID for value in reading.read_sentence(f"It is {said}.").values]
    assert len(wanted) > 50
    for _ in range(30):
        held = [f"It has {' near '.join(RNG.choice(SAID, 2))}." for _ in range(20)]
        text = reading.Long(" ".join(held))
        for value in wanted:
            assert list(text.stating(value)) == list(
                reading.Joined(text.parts[:]).stating(value)
            ), value


def test_of_a_long_text_only_sentences_that_may_say_it_are_read_for_values_and_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sold = "The mill of Ruvan Tarn{} sold {:,} crowns of flour in {}."
    said = [sold.format("abcdefghij"[n % 10] * 3, n, 1900 + n % 90) for n in range(3_000)]
    said[7] = said[7].replace("Tarn", "Norvik")
    source = Source("d", " ".join(said))
    read: dict[str, int] = {"read_values": 0, "read_names": 0}

    def counted(name: str) -> Callable[..., object]:
        original = getattr(reading, name)

        def one(*given: object) -> object:
            read[name] += 1
            return original(*given)

        return one

    for name in read:
        monkeypatch.setattr(reading, name, counted(name))
    reading.forget_readings()
    assert len(source.text) >= reading._LONG
    for given, value in (("Ruvan", "yes"), ("Selmin", "no")):
        asked = Entails((source,), said[7].replace("Ruvan", given))
        verdict = Lexical().decide(asked)
        assert isinstance(verdict, Verdict)
        assert verdict.value == value
    # Those of the year, of the amount, of the name, and of the places that are looked at closely.
    assert 0 < read["read_values"] < 200
    assert 0 < read["read_names"] < 50


def test_an_indexed_text_has_the_names_that_its_sentences_have() -> None:
    forms = "Ruvan Teldrake|Mr Teldrake|R. Teldrake|TELDRAKE|Selmin de Aquette|Mary J|United Nations|Norvik The"
    for _ in range(30):
        said = (f"It saw {' and '.join(RNG.choice(forms.split('|'), 2))}." for _ in range(9))
        text = reading.Long(" ".join(said))
        for last in ("teldrake", "aquette", "j", "the", "nations", "absent"):
            whole = [name for name in reading.Joined(text.parts[:]).names if name[-1] == last]
            assert list(dict.fromkeys(text.names_on(last))) == whole


def test_an_indexed_text_has_the_stems_and_words_that_its_sentences_have() -> None:
    forms = (
        *SAID[:-2],
        "L'été 1 200 000",
        "1 2345",
        "12 000,5",
        "well-kept",
        "don’t",
        "Œuvre à vélo",
    )
    for _ in range(10):
        said = [f"It has {' and '.join(RNG.choice(forms, 3))}." for _ in range(20)]
        text = reading.Long(fold("\n".join(said)))
        whole = reading.Joined(text.parts[:])
        assert text.stems == whole.stems
        for wanted in (reading.read_sentence(one) for one in said[:5]):
            assert text.shared_with(wanted.stems) == whole.shared_with(wanted.stems)
            for word in filter(str.isalpha, wanted.flat.split()):
                assert text.says(word)
                assert text.says(f"{word}s") == whole.says(f"{word}s"), word
                assert text.says_beginning(word[:3]) == whole.says_beginning(word[:3]), word


def test_an_indexed_text_finds_a_name_by_its_initials() -> None:
    text = reading.Long("It saw the World Health Organization. The United Nations were there.")
    assert ("world", "health", "organization") in text.names_with("who")
    assert ("united", "nations") in text.names_with("un")
    assert not [*text.names_with("nato")]


def test_a_long_text_takes_few_bytes_a_character() -> None:
    syllables = ("ba", "kor", "ri", "tum", "men", "sal", "vo", "dim", "lek", "pan", "gor", "tes")
    vocabulary = ["".join(RNG.choice(syllables, 3)) for _ in range(5_000)]
    said = RNG.choice(vocabulary, (4_000, 16)).tolist()
    text = "".join(" ".join(words).capitalize() + ". " for words in said)
    request = Entails((Source("d", text),), text[5_000:5_100])
    tracemalloc.start()
    Lexical().decide(request)
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    reading._TEXTS.clear()
    assert kept < 6 * len(text)
    assert most < 10 * len(text)


def test_the_key_of_a_request_about_a_book_is_made_as_that_of_any_other() -> None:
    for text in ("Short é.", "A book é. " * 20_000):
        sources = (Source("d1", text), Source("d2", 'It "stands".'))
        for asked in (Entails(sources, "It stands."), Entails(sources, "It stands.", "Where?")):
            given = [asked.hypothesis, *([asked.question, "", ""] if asked.question else [])]
            fields = ["Entails", [[one.id, one.text] for one in sources], *given]
            assert asked.key == hashlib.sha256(json.dumps(fields).encode()).hexdigest()
