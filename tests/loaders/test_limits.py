"""The bounds of an answer: characters as TREC counts them, and sentences."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench import load
from argue_bench.cli import main
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import (
    MOST_CITATIONS,
    MOST_SENTENCES,
    AnswerLimits,
    answer_length,
    cut_at_limit,
    script_weight,
    text_length,
    within_limits,
)
from argue_bench.metrics.correctness.accuracy import plain_text, said_text
from argue_bench.records import Answer, Document, Gold, Question, Request, Sentence
from argue_bench.text import CitationIndex, read_answer, strip_reasoning
from argue_bench.text.citations import EMPTY_INDEX
from tests.text.test_structure import PIECES

DOCUMENTS = {
    "d1": Document("d1", "It stands.", "The Wall of the Long Name"),
    "d2": Document("d2", "?"),
}
INDEX = CitationIndex.of(DOCUMENTS, {id: one.title for id, one in DOCUMENTS.items()})
QUESTION = Question("q", "What?", Request(limit=30), ("d1", "d2"), gold=Gold())
SET = Dataset(
    "toy", "dev", (QUESTION, Question("free", "?", documents=("d1",), gold=Gold())), DOCUMENTS
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It fell.", 8),
        ("It fell [1].", 8),
        ("It fell [d1, d2]. It rose [2].", 17),
        ("ﬁve ½", 8),  # NFKC: "five 1⁄2"
        ("e\u0301", 1),
        # Marks that are more than a citation are text.
        ("It fell [7].", 12),
        ("It fell [1](every-word-that-the-gold-may-want).", 47),
        ("<cite>Oslo 1931 Bergen 1932</cite>", 34),
        ('<ref name="d1" rest="Oslo 1931 Bergen"/>', 40),
        ("It fell 【1†Oslo 1931】.", 22),
        ("It fell 【1†source】 [Doc 1] (see [d2]).", 8),
        ("It fell [1, p. 1931].", 21),
        ("It fell.<sup>1</sup>[^1^]", 8),
        ("It fell [1].\n\nReferences\n[1] d1\n2. d2", 12),
        ("It fell [1].\n\nReferences\n[1] d1, in 1931", 26),
        ("It fell [^1].\n\n[^1]: The Wall of the Long Name (d1)", 10),
        ("It fell [^1].\n\n[^1]: The Wall of the Long Name (d1, 1931)", 52),
        ("It fell [see d1: Oslo 1931].", 28),
        ('<cite index="1-1">It fell.</cite>', 8),
        ('<cite index="1-1 Oslo">It fell.</cite>', 31),
        # Published metrics read a trace as any other text, so names inside of one count.
        ("<think>Oslo 1931</think>It fell.", 32),
        ("Oslo 1931</think>It fell.", 25),
        ("It fell [1](Oslo_1931).", 23),
        ("It fell [Source: The Wall of the Long Name] [1-2] <cite>d1</cite>.", 8),
    ],
)
def test_characters_are_counted_after_nfkc_and_citations_aside(text: str, expected: int) -> None:
    assert text_length(text, INDEX) == expected


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("One. Two. Three.", 16, "One. Two. Three."),
        ("One. Two. Three.", 15, "One. Two."),
        ("One [1]. Two [2]. Three [1].", 9, "One [1]. Two [2]."),
        ("One. [1] Two. [2] Three.", 9, "One. [1] Two. [2]"),
        ("One two three four.", 9, "One two"),
        ("Onetwothree", 4, "Onet"),
        ("", 1, ""),
    ],
)
def test_a_text_ends_with_the_last_sentence_that_fits(text: str, limit: int, kept: str) -> None:
    assert cut_at_limit(text, limit, INDEX) == kept


CHINESE = "这座博物馆建于1931年，由当地居民出资修缮。"


def test_a_dense_script_counts_for_what_it_says_where_the_question_is_in_another() -> None:
    """17 characters that would be 51 of English; a Chinese set's own answers count as they always did."""
    questions = [Question("en", "Which museum was it, and who paid?", Request(limit=30), ())]
    questions += [Question("zh", "这是哪座博物馆？", Request(limit=30), (), language="zh")]
    questions += [Question("name", "NBA MVP 2016?", Request(limit=30), (), language="zh")]
    museums = Dataset("toy", "dev", tuple(questions), {})
    limits = AnswerLimits(over="cut")
    for text in (CHINESE, "美术馆。" + CHINESE[:-1]):
        rows = [{"id": one.id, "answer": text} for one in questions]
        limited = within_limits(as_answers(rows, museums), museums, limits)
        assert [*limited.cut] == ["en"]
        assert len(limited.answers["en"].text) < 14
    assert text_length(CHINESE) == len(CHINESE) == 23
    assert text_length(CHINESE, weighed=True) == 17 * 3 + 6
    assert text_length(CHINESE, unit="words", weighed=True) == 17 * 3 // 6 + 3
    assert text_length("서울 ひらがな", weighed=True) == 2 * 2 + 1 + 4 * 1.5


@pytest.mark.parametrize(
    ("question", "language", "text", "weight"),
    [
        ("Which museum was it?", "en", "ሙዚየሙ", 3),
        ("ሙዚየሙ የትኛው ነው?", "en", "ሙዚየሙ", 1),
        ("Which museum was it?", "en", "המוזיאון", 1.3),
        ("NBA MVP 2016?", "he", "המוזיאון", 1),
        ("איזה מוזיאון זה היה?", "he", "博物馆建于", 3 / 1.3),
        ("איזה מוזיאון זה היה?", "he", "The museum", 1),
        ("어느 박물관이었습니까?", "ko", "박물관", 1),
        ("어느 박물관이었습니까?", "ko", "博物馆", 1.5),
        ("NBA MVP 2016?", "ko", "박물관", 1),
        ("Which museum was it?", "en", "ᏣᎳᎩᏣᎳᎩ", 3),
        ("Which museum was it?", "en", "ㄅㄆㄇㄈ", 3),
        # Braille, which is read letter by letter, are symbols for Unicode.
        ("Which museum was it?", "en", "⠍⠥⠎⠑⠥⠍", 3),
        ("Which museum was it?", "en", "музей построен", 1),
        ("Which museum was it?", "en", "संग्रहालय", 1),
    ],
)
def test_a_letter_counts_for_what_its_script_says_beside_the_questions(
    question: str, language: str, text: str, weight: float
) -> None:
    """One for one in Ethiopic letters a game earned 63 where the best honest baseline earns 53."""
    asked = Question("q", question, Request(limit=9), language=language)
    assert text_length(text, weighed=script_weight(asked)) == int(weight * len(text))


def test_blanks_that_are_left_out_count() -> None:
    """`TheDecisivePoint` for each sentence freed a sixth of the limit; a German compound or a list frees nothing."""
    said = "The decisive point of the final was scored by Fenna Dugrold before many people. " * 15
    joined = said.title().replace(" ", "")
    assert text_length(joined) > 0.9 * text_length(said)
    assert text_length(joined, unit="words") > 0.4 * text_length(said, unit="words")
    assert text_length(cut_at_limit(joined, 100)) <= 100
    german = (
        "Die Donaudampfschifffahrtsgesellschaft wurde 1829 von einem Schotten in Wien gegründet. "
        * 9
    )
    names = "Christianity\nPennsylvania\n" * 5
    link = f"{said} https://a.example/{'1a' * 20}/{'/'.join(['museums'] * 9)}"
    for text in (german, names, link, said, CHINESE * 9):
        assert text_length(text.strip()) == len(text.strip())


@pytest.mark.parametrize("joint", ["/", "·", "-", ",", "\u2800", "\u200b"])
def test_no_sign_joins_words_into_one(joint: str) -> None:
    honest = "The museum was closed for nine years and opened again in May"
    assert text_length(honest, unit="words") == 12
    assert text_length(honest.replace(" ", joint), unit="words") == 12
    compound = (
        "A state-of-the-art hall stands in the town, where the old mill stood until May 1931."
    )
    assert text_length(compound, unit="words") == len(compound.split()) == 15
    # 21 words, written as 13.
    some = (
        "It—was built—at a—cost of—29.8 million crowns in—a year—of peace and—of good—corn for all"
    )
    assert (len(some.split()), text_length(some, unit="words")) == (13, 18)
    cut = cut_at_limit(honest.replace(" ", joint) + " End.", 5, unit="words")
    assert text_length(cut, unit="words") <= 5


@pytest.mark.parametrize("joint", ["'", "’"])
def test_apostrophes_join_no_words(joint: str) -> None:
    """A sentence with apostrophes for its blanks was one word: 2,145 words in a report of 400, 31 points of argue.f1."""
    honest = "The museum was closed for nine years and opened again in May"
    assert text_length(honest.replace(" ", joint), unit="words") == 12
    # Seven of the 18 words of this one are elided; of English prose hardly any are.
    french = "L'eau d'une rivière qu'il n'avait pas vue s'écoule jusqu'à l'étang, et nous y sommes allés tous les deux."
    assert text_length(french.replace("'", joint), unit="words") <= 1.2 * len(french.split())
    english = "It's a bridge that does not open on Sundays, and its owner's sons said that this won't change."
    assert text_length(english.replace("'", joint), unit="words") == len(english.split())
    # Nor do digits, raised, circled or plain, which part the words for who reads them.
    for sign in "²⁰①7":
        assert text_length(honest.replace(" ", sign), unit="words") >= 12
    years = "/".join(map(str, range(1931, 1951)))
    assert text_length(years, unit="words") == 5


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["It fell.", "It rose.", "</think>"], []),
        (["It fell.", "It rose.", "</think></think>"], []),
        (["<think>It fell.", "So.</think>It rose."], ["It rose."]),
        (["analysis: it fell.", "It rose.", "assistantfinal It stands."], ["It stands."]),
        (["It fell.", *("</think>",) * 12, "It rose."], []),
        (["It fell.", "It rose."], ["It fell.", "It rose."]),
    ],
)
def test_a_trace_in_a_report_is_neither_said_nor_counted(texts: list[str], said: list[str]) -> None:
    """Sentences before a last one "</think>" had no length, and each was scored."""
    dataset = Dataset("s", "t", [Question("q1", "What?")])
    rows = [{"text": text, "citations": []} for text in texts]
    row = {"metadata": {"topic_id": "q1", "run_id": "r"}, "references": [], "responses": rows}
    answer = as_answers([row], dataset)["q1"]
    assert [one.plain.strip() for one in answer.sentences if one.plain.strip()] == said
    assert strip_reasoning(answer.text) == answer.text
    assert answer_length(answer, EMPTY_INDEX) >= len(" ".join(said))


@pytest.mark.parametrize("report", [False, True], ids=["text", "report"])
def test_whatever_a_metric_reads_counts(report: bool) -> None:
    """Three times words that were judged had no length: in traces, in fences, in reports. Each word that is read has one here."""
    draw = random.Random(1)
    pieces = (
        *PIECES,
        "[d1]",
        "[d2, 7]",
        "<think>",
        "analysis",
        "</answer>",
        "\ue200",
        "(see [d1])",
        "http://a.example/",
    )
    words = ["".join(draw.choices("bcdfghjkl", k=9)) for _ in range(4)]

    def read(parts: list[str]) -> tuple[set[str], int]:
        """The words that metrics read, and the length of the answer."""
        given = [{"text": one, "citations": []} for one in parts] if report else "".join(parts)
        answer = as_answers([{"id": "q", "answer": given}], SET)["q"]
        claims = (one.claim for one in answer.sentences)
        said = " ".join((*claims, said_text(answer), plain_text(answer)))
        return {one for one in words if one in said}, answer_length(answer, INDEX)

    found = 0
    for _ in range(250):
        parts = draw.choices(pieces, k=14)
        for word in words:
            parts.insert(draw.randrange(len(parts)), f" {word} ")
        judged, length = read(parts)
        for word in judged:
            longer = [one.replace(word, word + 60 * "bu ") for one in parts]
            again, more = read(longer)
            assert word not in again or more > length + 100, parts
            found += 1
    assert found > 500


def test_an_answer_is_cut_with_its_citations() -> None:
    text = "The wall fell [1]. It rose again [2]. It fell once more [1]."
    limited = within_limits(as_answers([{"id": "q", "answer": text}], SET), SET, AnswerLimits())
    answer = limited.answers["q"]
    assert [(one.plain, one.citations) for one in answer.sentences] == [
        ("The wall fell.", ("d1",)),
        ("It rose again.", ("d2",)),
    ]
    assert answer.text == "The wall fell [1]. It rose again [2]."
    assert limited.cut == {"q": "48 characters, and at most 30 are allowed"}


@pytest.mark.parametrize("last", ["It fell [d1].", "It fell down."])
@pytest.mark.parametrize("first", ["The wall fell.", "A [d1] wall.", "**Walls** fall."])
def test_a_report_is_cut_between_its_sentences(first: str, last: str) -> None:
    report = {
        "topic_id": "q",
        "responses": [
            {"text": first, "citations": ["d1"]},
            {"text": "It rose again.", "citations": ["d2"]},
            {"text": last, "citations": []},
        ],
    }
    (answer,) = within_limits(as_answers([report], SET), SET, AnswerLimits()).answers.values()
    assert [one.citations for one in answer.sentences] == [("d1",), ("d2",)]
    assert answer.text == f"{first} It rose again."


@pytest.mark.parametrize(
    ("trace", "excess"),
    [(0, ""), (800, ""), (1_200, "134 characters, and at most 100 are allowed")],
)
def test_a_trace_of_reasoning_is_no_part_of_a_length_up_to_nine_times_it(
    trace: int, excess: str
) -> None:
    question = Question("q", "When?", request=Request(limit=100))
    said = "It opened in 1931."
    thought = f"<think>{'x' * trace}</think>" * bool(trace)
    limits = AnswerLimits(over="cut")
    answer = read_answer("q", thought + said, {})
    assert limits.excess(question, answer, EMPTY_INDEX) == excess
    assert limits.cut(question, answer, EMPTY_INDEX).plain == said
    longer = read_answer("q", thought + said * 9, {})
    assert limits.cut(question, longer, EMPTY_INDEX).plain.startswith(said)


def test_citations_make_no_answer_longer_however_long_their_names_are() -> None:
    text = f"It fell {'[The Wall of the Long Name]' * 10}."
    answer = read_answer("q", text, INDEX)
    assert [answer_length(answer, INDEX, unit) for unit in ("characters", "words")] == [8, 2]


LINKED = CitationIndex.of(
    ["x1", "x2"],
    {"x1": "The Wall", "x2": "The Mill"},
    urls={"https://a.example/wall/1": "x1", "https://a.example/mill": "x2"},
)


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        *((one, 0) for one in ("[1]", "[1](https://a.example/wall/1)", "[1: The Wall]")),
        *((one, 0) for one in ("([a.example](https://a.example/wall/1))", "[x1: The Wall]")),
        ("(Source: [The Wall](https://a.example/wall/1))", 0),
        ("(Document 1: The Wall)", 0),
        # No free text rides in a mark, nor an address that is no document's.
        ("[1: it is old]", len(" [1: it is old]")),
        ("[1](https://b.example/it/is/old)", len(" [1](https://b.example/it/is/old)")),
    ],
)
def test_all_names_of_a_document_are_citations(mark: str, words: int) -> None:
    """Links to the documents counted: an answer at its limit was over it by its marks, and earned nothing."""
    assert text_length(f"It fell {mark}.", LINKED) == len("It fell.") + words


def test_a_line_of_a_list_may_hold_title_and_address() -> None:
    said = "It fell [1].\n\nSources:\n"
    plain = text_length(f"{said}[1] The Wall", LINKED)
    assert text_length(f"{said}[1] The Wall - https://a.example/wall/1", LINKED) == plain
    assert text_length(f"{said}[1] Document 1: The Wall", LINKED) == plain
    assert text_length(f"{said}[1] It is old. The Wall", LINKED) > plain


def test_joined_words_are_words_where_words_are_counted() -> None:
    words = (
        "The decisive point of the final was scored by the guests in the second half " * 20
    ).split()
    pairs = " ".join(a + b for a, b in zip(words[::2], words[1::2], strict=True))
    assert text_length(" ".join(words), unit="words") == len(words)
    assert text_length(pairs, unit="words") > 0.6 * len(words)


def test_a_question_without_a_limit_gets_the_given_one_and_its_own_comes_first() -> None:
    answers = {id: Answer(id, "x" * 40, (Sentence("x" * 40),)) for id in ("q", "free")}
    assert set(within_limits(answers, SET, AnswerLimits()).cut) == {"q"}
    assert set(within_limits(answers, SET, AnswerLimits(39)).cut) == {"q", "free"}
    assert set(within_limits(answers, SET, AnswerLimits(40)).cut) == {"q"}


def test_no_more_than_400_sentences_are_judged() -> None:
    many = as_answers([{"id": "free", "answer": "It is so [1]. " * 401}], SET)
    limited = within_limits(many, SET, AnswerLimits(None, MOST_SENTENCES))
    assert len(limited.answers["free"].sentences) == MOST_SENTENCES == 400
    assert limited.cut == {"free": "401 sentences, and at most 400 are judged"}
    fits = as_answers([{"id": "free", "answer": "It is so [1]. " * 400}], SET)
    assert not within_limits(fits, SET, AnswerLimits(None, MOST_SENTENCES)).cut


def test_evaluate_says_how_many_answers_are_too_long(tmp_path: Path) -> None:
    dev = load("core", "dev")[:3]
    copied = [" ".join(f"{d.text} [{d.id}]." for d in dev.documents_of(q).values()) for q in dev]
    rows = [{"id": q.id, "answer": text} for q, text in zip(dev, copied, strict=True)]
    file = tmp_path / "copies.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    command = ["evaluate", str(file), "--split", "dev", "--only-answered", "-m", "accuracy"]
    whole = CliRunner().invoke(main, command)
    assert "3 of 3 answers are longer than allowed" in whole.stderr


def test_citations_are_bounded_too_in_marks_ranges_and_reports() -> None:
    """Marks are no characters, so without a bound each sentence could cite every document for free."""
    documents = {f"d{n}": Document(f"d{n}", "It stands.") for n in range(1, 51)}
    question = Question("q", "What?", documents=tuple(documents), gold=Gold())
    dataset = Dataset("toy", "dev", (question,), documents)
    limits = AnswerLimits(sentences=MOST_SENTENCES)
    many = MOST_CITATIONS // 25
    fits = "It is so [1-25]. " * many
    report = [{"text": "It is so.", "citations": [*documents][:25]}] * (many + 1)
    for row, kept, why in (
        ({"id": "q", "answer": fits}, 600, ""),
        ({"id": "q", "answer": fits + "It is so [1]."}, 600, "601 citations"),
        ({"id": "q", "responses": report}, 600, "625 citations"),
        ({"id": "q", "answer": "It is [1]. It is so [1-26]."}, 1, "a sentence with 26 citations"),
    ):
        found = within_limits(as_answers([row], dataset), dataset, limits)
        assert sum(len(one.citations) for one in found.answers["q"].sentences) == kept
        assert found.cut.get("q", "").startswith(why)
        assert bool(found.cut) is bool(why)
