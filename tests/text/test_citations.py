"""Which documents a text cites, and what is left of it without its marks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argue_bench.records import Document, Sentence
from argue_bench.text import CitationIndex, find_marks, read_answer, without_marks
from tests.growth import assert_linear

DOCUMENTS = {
    "d1": Document("d1", "", "The Wall"),
    "d2": Document("d2", "", "L’Avare"),
    "d3": Document("d3", "", 'The "Great" Gatsby'),
    "msmarco_v2.1_doc_01#4_7": Document("msmarco_v2.1_doc_01#4_7", "", "Paris, France"),
    "éa": Document("éa", "", "C# lang"),
}
LONG = "msmarco_v2.1_doc_01#4_7"
INDEX = CitationIndex.of(DOCUMENTS, {id: one.title for id, one in DOCUMENTS.items()})

TEXT = "text, not a citation"
CASES = {
    # brackets: numbers
    "one": ("It fell [1].", ["d1"], "It fell."),
    "two": ("It fell [1][2].", ["d1", "d2"], "It fell."),
    "two with a blank": ("It fell [1] [2].", ["d1", "d2"], "It fell."),
    "two with a comma": ("It fell [1], [2].", ["d1", "d2"], "It fell."),
    "list": ("It fell [1, 2].", ["d1", "d2"], "It fell."),
    "list without blanks": ("It fell [1,2,3].", ["d1", "d2", "d3"], "It fell."),
    "list by semicolon": ("It fell [1; 3].", ["d1", "d3"], "It fell."),
    "list by and": ("It fell [1 and 3].", ["d1", "d3"], "It fell."),
    "list by et": ("It fell [1, 2 et 3].", ["d1", "d2", "d3"], "It fell."),
    "range": ("It fell [1-3].", ["d1", "d2", "d3"], "It fell."),
    "range with an en dash": ("It fell [1–3].", ["d1", "d2", "d3"], "It fell."),
    "range and number": ("It fell [1-2, 3].", ["d1", "d2", "d3"], "It fell."),
    "repeated": ("It fell [1][1].", ["d1", "d1"], "It fell."),
    "out of range": ("It fell [9].", ["9"], "It fell."),
    "range out of range": ("It fell [5-7].", ["éa", "6", "7"], "It fell."),
    "zero": ("It fell [0].", ["0"], "It fell."),
    "leading nought": ("It fell [01].", ["d1"], "It fell."),
    "wide range": ("It fell [1-999999].", ["1-999999"], "It fell."),
    "range of 51": ("It fell [1-51].", ["1-51"], "It fell."),
    "range backwards": ("It fell [3-1].", ["3-1"], "It fell."),
    "year": ("It fell [2019].", TEXT, None),
    "years": ("It fell [2019-2020] or [1914–18].", TEXT, None),
    "date": ("It fell [2019-05-06].", TEXT, None),
    "decimal": ("It cost [3.5] and [5%] and [$5].", TEXT, None),
    "blanks inside": ("It fell [ 1 ].", ["d1"], "It fell."),
    "document one": ("It fell [Document 1].", ["d1"], "It fell."),
    "doc one, doc two": ("It fell [Doc 1, Doc 2].", ["d1", "d2"], "It fell."),
    "footnote": ("It fell.[^1]", ["d1"], "It fell."),
    "double brackets": ("It fell [[1]].", ["d1"], "It fell."),
    "link": ("It fell [1](https://example.org/a).", ["d1"], "It fell."),
    "lens brackets": ("It fell 【1】.", ["d1"], "It fell."),
    "lens brackets with a dagger": ("It fell 【1†source】.", ["d1"], "It fell."),
    "page": ("It fell [1, p. 5].", ["d1"], "It fell."),
    "after the full stop": ("It fell. [1]", ["d1"], "It fell."),
    "after the full stop, glued": ("It fell.[1]", ["d1"], "It fell."),
    # brackets: ids and titles
    "id": ("It fell [d1].", ["d1"], "It fell."),
    "id in capitals": ("It fell [D1].", ["d1"], "It fell."),
    "ids by comma": ("It fell [d1, d2].", ["d1", "d2"], "It fell."),
    "ids by semicolon": ("It fell [d1; d2].", ["d1", "d2"], "It fell."),
    "id and number": ("It fell [d1, 2].", ["d1", "d2"], "It fell."),
    "long id": (f"It fell [{LONG}].", [LONG], "It fell."),
    "id of the same shape": ("It fell [d99].", ["d99"], "It fell."),
    "id with a hash": (
        "It fell [msmarco_v2.1_doc_77#1_1].",
        ["msmarco_v2.1_doc_77#1_1"],
        "It fell.",
    ),
    "seven digits": ("It fell [31452104].", ["31452104"], "It fell."),
    "title": ("It fell [The Wall].", ["d1"], "It fell."),
    "title with a comma": ("It fell [Paris, France].", [LONG], "It fell."),
    "title, other case": ("It fell [the  wall].", ["d1"], "It fell."),
    "decomposed id": ("It fell [e\u0301a].", ["éa"], "It fell."),
    # an editor's brackets
    "sic": ("It fell [sic].", TEXT, None),
    "ellipsis": ("It [...] fell […].", TEXT, None),
    "letter": ("It fell [a].", TEXT, None),
    "emphasis": ("It fell [emphasis added].", TEXT, None),
    "inserted words": ("He said that [the wall there] fell.", TEXT, None),
    "ordinal": ("The [3rd] wall of the [1990s], [COVID-19] and [H2O].", TEXT, None),
    "partly text": ("It fell [1, sic].", TEXT, None),
    "empty": ("It fell [] [ ].", TEXT, None),
    "round brackets": ("It fell (1) (d1) (Source: The Wall).", TEXT, None),
    # notations that say that they cite
    "cite, title": ("It fell <cite>The Wall</cite>.", ["d1"], "It fell."),
    "cite, id": ("It fell <cite>d2</cite>.", ["d2"], "It fell."),
    "cite, number": ("It fell <cite>[2]</cite>.", ["d2"], "It fell."),
    "cite, unknown": ("It fell <cite>A Book</cite>.", ["A Book"], "It fell."),
    "cite, folded quote": ("It fell <cite>L'Avare</cite>.", ["d2"], "It fell."),
    "cite, quotes in the title": ('It fell <cite>The "Great" Gatsby</cite>.', ["d3"], "It fell."),
    "cite, two quoted": (
        'It fell <cite>"The Wall", "Nothing"</cite>.',
        ["d1", "Nothing"],
        "It fell.",
    ),
    "cite, guillemets": ("It fell <cite>« The Wall »</cite>.", ["d1"], "It fell."),
    "cite, two known": ("It fell <cite>The Wall; L’Avare</cite>.", ["d1", "d2"], "It fell."),
    "cite, comma in a title": ("It fell <cite>Paris, France</cite>.", [LONG], "It fell."),
    "cite, unclosed": ("It fell <cite>The Wall.", TEXT, None),
    "cite, empty": ("It fell <cite></cite>.", [], "It fell."),
    "cite, capitals": ("It fell <CITE>The Wall</CITE>.", ["d1"], "It fell."),
    "angle": ("It fell <<cite: The Wall>>.", ["d1"], "It fell."),
    "angle, capitals": ("It fell <<Cite:The Wall>>.", ["d1"], "It fell."),
    "source": ("It fell [Source: The Wall].", ["d1"], "It fell."),
    "source, brackets in the title": (
        "It fell [Source: A [abcdef12]].",
        ["A [abcdef12]"],
        "It fell.",
    ),
    "source, unknown": ("It fell [Source: A Book].", ["A Book"], "It fell."),
    "sources": ("It fell [Sources: 1, 2].", ["d1", "d2"], "It fell."),
    "hashes": ("It fell ##Cite The Wall##.", ["d1"], "It fell."),
    "hashes, hash in the title": ("It fell ##Cite C# lang##.", ["éa"], "It fell."),
    "hashes, a headline": ("## Cited works\nIt fell.", TEXT, None),
    "ref": ('It fell in <ref name="The Wall">1668</ref>.', ["d1"], "It fell in 1668."),
    "ref, single quotes": (
        "It fell in <ref name='The Wall'>1668</ref>.",
        ["d1"],
        "It fell in 1668.",
    ),
    "ref, no quotes": ("It fell in <ref name=d1>1668</ref>.", ["d1"], "It fell in 1668."),
    "ref, self-closing": ('It fell <ref name="d1"/>.', ["d1"], "It fell."),
    "ref, self-closing with a blank": ('It fell <ref name = "d1" />.', ["d1"], "It fell."),
    "ref, attribute after": ('It fell <ref name="d1" group="g"/>.', ["d1"], "It fell."),
    "ref, attribute before": ('It fell <ref group="g" name="d1"/>.', ["d1"], "It fell."),
    "ref, apostrophe in the name": ("""It fell <ref name="L'Avare"/>.""", ["d2"], "It fell."),
    "ref, same quotes in the name": (
        'It fell <ref name="The "Great" Gatsby"/>.',
        ["d3"],
        "It fell.",
    ),
    "ref, entity": ('It fell <ref name="The &quot;Great&quot; Gatsby"/>.', ["d3"], "It fell."),
    "ref, slash in the name": ('It fell <ref name="a/b"/>.', ["a/b"], "It fell."),
    "ref, unclosed": ('It fell <ref name="d1"> in 1668.', ["d1"], "It fell in 1668."),
    "ref, footnote": ("It fell.<ref>The Wall</ref>", ["d1"], "It fell."),
    "reference is no ref": ("It fell <reference>.", TEXT, None),
    # what is left
    "between words": ("It fell[1]in 1668.", ["d1"], "It fell in 1668."),
    "before a comma": ("It fell [1], then rose.", ["d1"], "It fell, then rose."),
    "before a French mark": ("Est-ce vrai [1] ?", ["d1"], "Est-ce vrai ?"),
    "in round brackets": ("It fell ([1]).", ["d1"], "It fell."),
    "see": ("It fell (see [1, 2]).", ["d1", "d2"], "It fell."),
    "see, several": (
        "It fell (see [1], [2] [3]), then rose.",
        ["d1", "d2", "d3"],
        "It fell, then rose.",
    ),
    "bracket with words": ("It fell ([1] and more).", ["d1"], "It fell (and more)."),
    "at the head": ("[1] It fell.", ["d1"], "It fell."),
    "subject": ("As [1] says, it fell.", ["d1"], "As says, it fell."),
}


@pytest.mark.parametrize(("text", "names", "plain"), CASES.values(), ids=CASES)
def test_notation(text: str, names: list[str] | str, plain: str | None) -> None:
    marks = find_marks(text, INDEX)
    assert [name for mark in marks for name in mark.names] == ([] if names is TEXT else names)
    assert without_marks(text, INDEX) == (text if plain is None else plain)


def test_a_long_number_counts_documents_where_so_many_exist() -> None:
    index = CitationIndex.of([f"p-{number}" for number in range(1, 2101)])
    assert find_marks("It fell [2019].", index)[0].names == ("p-2019",)
    assert find_marks("It fell [2101].", index) == []


def test_an_id_may_be_a_year_or_a_word() -> None:
    index = CitationIndex.of(["2019", "sic"])
    assert [mark.names for mark in find_marks("A [2019] b [sic] c [2020].", index)][:2] == [
        ("2019",),
        ("sic",),
    ]


def test_numbers_count_positions_before_they_are_ids() -> None:
    index = CitationIndex.of(["3", "7", "1"])
    assert [mark.names for mark in find_marks("[1] [7]", index)] == [("3",), ("7",)]


def test_numbers_name_nothing_where_a_whole_collection_was_searched() -> None:
    index = CitationIndex.of(["d1", "d2"], numbered=())
    assert find_marks("It fell [1] [d2].", index)[0].names == ("1",)


def test_a_shared_title_names_the_first() -> None:
    index = CitationIndex.of(["a", "b"], ["Same", "Same"])
    assert find_marks("<cite>Same</cite>", index)[0].names == ("a",)


ANSWERS = {
    "mark after the stop": (
        "It was built in 1931. [1] It stands.",
        [("It was built in 1931.", "d1"), ("It stands.", "")],
    ),
    "marks in round brackets": (
        "It fell. ([1]) It rose. (Source: [2])",
        [("It fell.", "d1"), ("It rose.", "d2")],
    ),
    "only marks in a line": (
        "It was built.\n[1]\n[2]\nIt fell.",
        [("It was built.", "d1 d2"), ("It fell.", "")],
    ),
    "marks in a list": ("- Iron [1]\n- Gold [2].", [("- Iron", "d1"), ("- Gold.", "d2")]),
    "ref over two sentences": (
        'It fell <ref name="d1">in 1668. It rose</ref> again. It stands.',
        [("It fell in 1668.", "d1"), ("It rose again.", "d1"), ("It stands.", "")],
    ),
    "ref never closed": (
        'It fell <ref name="d1">in 1668. It rose.',
        [("It fell in 1668.", "d1"), ("It rose.", "")],
    ),
    "ref after the stop, for what it follows and what it holds": (
        'It fell.<ref name="d1">Words.</ref> It rose.',
        [("It fell.", "d1"), ("Words.", "d1"), ("It rose.", "")],
    ),
    "only a mark": ("[1]", [("", "d1")]),
    "nothing": ("", []),
    "blanks": (" \n ", []),
    "punctuation alone": ("It fell.\n---\nIt rose.", [("It fell. ---", ""), ("It rose.", "")]),
    "invented": ("It fell [7]. It rose <cite>X</cite>.", [("It fell.", "7"), ("It rose.", "X")]),
}


@pytest.mark.parametrize(("text", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_reads_so(text: str, expected: list[tuple[str, str]]) -> None:
    answer = read_answer("q", text, DOCUMENTS, run="r")
    assert (answer.id, answer.text, answer.run) == ("q", text, "r")
    assert answer.sentences == tuple(Sentence(words, tuple(ids.split())) for words, ids in expected)


def test_documents_may_be_pairs_of_id_and_title() -> None:
    answer = read_answer("q", "It fell [2] <cite>One</cite>.", [("a", "One"), ("b", "Two")])
    assert answer.sentences[0].citations == ("b", "a")


def test_sentence_splitting_follows_the_language() -> None:
    answer = read_answer("q", "M. Le Pen vint [1].", DOCUMENTS, "fr")
    assert [one.text for one in answer.sentences] == ["M. Le Pen vint."]


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="[]()<>/=\"' ,;-0123d#^\n.:cite ref name Source A", max_size=60))
def test_marks_lie_in_order_and_names_have_words(text: str) -> None:
    marks = find_marks(text, INDEX)
    assert all(a.end <= b.start for a, b in pairwise(marks))
    assert all(0 <= mark.start < mark.end <= len(text) for mark in marks)
    assert all(name.strip() for mark in marks for name in mark.names)
    read_answer("q", text, DOCUMENTS)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(["It", "fell", "Dr.", "5.", "-", "«", "[sic]", "\n", "é", ","]), max_size=20
    )
)
def test_a_text_without_marks_keeps_every_character(words: list[str]) -> None:
    text = " ".join(words)
    assert without_marks(text) == text
    kept = "".join("".join(one.text.split()) for one in read_answer("q", text, DOCUMENTS).sentences)
    assert kept == "".join(text.split())


HOSTILE = [
    "[1]",
    "[1] ",
    "[1],",
    "x[1]",
    "[1-50]",
    "[1-99]",
    "[1,",
    "1,",
    "[d1;",
    "<ref name='a'>",
    "<ref name='a'>x. ",
    '<ref name="a"',
    "<ref name='a'>x. Y</ref>",
    "<ref ",
    "<cite>a;</cite>",
    "<cite>",
    "[Source: [a]",
    "[Source: a",
    "<<cite: a",
    "##Cite a#",
    "([1])",
    "( ",
    " (",
    "(see ",
    "\u00a0[1]",
    "[1]\n",
    "[1]. ",
    "A [1]. ",
    "</ref>",
    "[1](",
    "[1](a)",
    '«"',
    '"a";',
]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    assert_linear(piece, lambda text: read_answer("q", text, INDEX))
