"""Which documents a text cites, and what is left of it without its marks."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from argue_bench.cli import main
from argue_bench.records import Document
from argue_bench.text import CitationIndex, find_marks, read_answer, without_marks
from argue_bench.text.citations import NOTATIONS, read_marks
from tests.growth import assert_linear
from tests.shared import shared

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
    "two with a comma": ("It fell [1], [2].", ["d1", "d2"], "It fell."),
    "list": ("It fell [1, 2].", ["d1", "d2"], "It fell."),
    "list by semicolon": ("It fell [1; 3].", ["d1", "d3"], "It fell."),
    "list by and": ("It fell [1 and 3].", ["d1", "d3"], "It fell."),
    "list with a comma and and": ("It fell [1, 2, and 3].", ["d1", "d2", "d3"], "It fell."),
    "list by et": ("It fell [1, 2 et 3].", ["d1", "d2", "d3"], "It fell."),
    "range": ("It fell [1-3].", ["d1", "d2", "d3"], "It fell."),
    "range with an en dash": ("It fell [1–3].", ["d1", "d2", "d3"], "It fell."),
    "range and number": ("It fell [1-2, 3].", ["d1", "d2", "d3"], "It fell."),
    "out of range": ("It fell [9].", ["9"], "It fell."),
    "zero": ("It fell [0].", ["0"], "It fell."),
    "wide range": ("It fell [1-999999].", ["1-999999"], "It fell."),
    "range backwards": ("It fell [3-1].", ["3-1"], "It fell."),
    "year": ("It fell [2019].", TEXT, None),
    "date": ("It fell [2019-05-06].", TEXT, None),
    "decimal": ("It cost [3.5] and [5%] and [$5].", TEXT, None),
    "document one": ("It fell [Document 1].", ["d1"], "It fell."),
    "doc one, doc two": ("It fell [Doc 1, Doc 2].", ["d1", "d2"], "It fell."),
    "footnote": ("It fell.[^1]", ["d1"], "It fell."),
    "double brackets": ("It fell [[1]].", ["d1"], "It fell."),
    "link": ("It fell [1](https://example.org/a).", ["d1"], "It fell."),
    "lens brackets": ("It fell 【1】.", ["d1"], "It fell."),
    "lens brackets with a dagger": ("It fell 【1†source】.", ["d1"], "It fell."),
    "page": ("It fell [1, p. 5].", ["d1"], "It fell."),
    "after the full stop": ("It fell. [1]", ["d1"], "It fell."),
    # brackets: ids and titles
    "id": ("It fell [d1].", ["d1"], "It fell."),
    "id in capitals": ("It fell [D1].", ["d1"], "It fell."),
    "ids by comma": ("It fell [d1, d2].", ["d1", "d2"], "It fell."),
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
    # a tag around what is said, and one that names its source
    "cite around": (
        '<cite index="1-1,1-3">It fell in 1931</cite>.',
        ["d1"],
        "It fell in 1931.",
    ),
    "cite around, two": (
        'So <cite index="1-2,3-1">it was, and it fell</cite>.',
        ["d1", "d3"],
        "So it was, and it fell.",
    ),
    "cite around a sentence without a name": (
        "It rose. <cite>It was rebuilt in 1931</cite>.",
        [],
        "It rose. It was rebuilt in 1931.",
    ),
    "source line with a blank before the colon": (
        "Elle tomba.\n\nSource : d1",
        ["d1"],
        "Elle tomba.\n\n",
    ),
    "source line": ("It fell.\nSource: The Wall", ["d1"], "It fell.\n"),
    "label of no source": (
        "The first reference: It fell [1].",
        ["d1"],
        "The first reference: It fell.",
    ),
    "word and id": ("It fell [Document: d2].", ["d2"], "It fell."),
    "word and title": ("It fell [see The Wall].", ["d1"], "It fell."),
    "number and title": ("It fell [1. The Wall].", ["d1"], "It fell."),
    "chapter": ("It fell [Chapter 1].", TEXT, None),
    "source tag": ('It fell <source id="2"/>.', ["d2"], "It fell."),
    "sup, an id": ("It fell.<sup>[d2]</sup>", ["d2"], "It fell."),
    # a column of sources
    "source, title with brackets": (
        'It fell (Source: The "Great" Gatsby).',
        ["d3"],
        "It fell.",
    ),
    # an editor's brackets
    "sic": ("It fell [sic].", TEXT, None),
    "ellipsis": ("It [...] fell […].", TEXT, None),
    "letter": ("It fell [a].", TEXT, None),
    "emphasis": ("It fell [emphasis added].", TEXT, None),
    "inserted words": ("He said that [the wall there] fell.", TEXT, None),
    "ordinal": ("The [3rd] wall of the [1990s], [COVID-19] and [H2O].", TEXT, None),
    "partly text": ("It fell [1, sic].", TEXT, None),
    "empty": ("It fell [] [ ].", TEXT, None),
    # figures in round brackets, and raised ones
    "round, in a list": (
        "It fell (1, 3), then rose (2).",
        ["d1", "d3", "d2"],
        "It fell, then rose.",
    ),
    "a source with its number": ("It fell (Source: Document 1).", ["d1"], "It fell."),
    "a source with number and title": (
        "It fell (Source: Document 1, The Wall).",
        ["d1"],
        "It fell.",
    ),
    # signs around an id, whatever they are
    "braces": ("It fell {d1} {{d2}}.", ["d1", "d2"], "It fell."),
    "a command": ("It fell \\cite{d1}.", ["d1"], "It fell."),
    "angles": ("It fell <d1> ⟨d2⟩.", ["d1", "d2"], "It fell."),
    "code, an id": ("It is `d1` and `a[1]`.", TEXT, None),
    "raised by signs": ("It fell^1^ here.^[2]^", ["d1", "d2"], "It fell here."),
    "a power by signs": ("It is 5 m^2^ and x^2^ wide.", TEXT, None),
    "a note in pandoc's words": ("It fell ^[1].", ["d1"], "It fell."),
    "a bold label in brackets": ("It fell (**Source:** d1).", ["d1"], "It fell."),
    "a letter and a number": ("It fell [S1] [P2].", ["d1", "d2"], "It fell."),
    "a letter and a number of nothing": ("It fell [K9].", ["9"], "It fell."),
    "dashes": ("It fell – d1. It rose — Document 2", ["d1", "d2"], "It fell. It rose"),
    "a dash in a sentence": ("It fell – in d1 it was high – in 1668.", TEXT, None),
    "braces of words": ("It fell {here} {1}.", TEXT, None),
    "an id in escaped brackets": ("It fell \\[d1\\].", ["d1"], "It fell."),
    "a formula in escaped brackets": ("It is \\[x = 2\\] here.", TEXT, None),
    "round, an id": ("It fell (d1).", ["d1"], "It fell."),
    "round, ids behind a word": ("It fell (see d1, d2) in 1931.", ["d1", "d2"], "It fell in 1931."),
    "round, an id among words": ("It fell (born 1931 in d1).", TEXT, None),
    "round, an id that is not there": ("It fell (b12).", TEXT, None),
    "a source that is none": ("It fell <source>at noon</source> [1].", ["d1"], "It fell at noon."),
    "round, ages": ("Martin (3), Lingzi (23) and Krystle (29).", TEXT, None),
    "round, of a law": ("As section 43(2) says, or (it is so) (2): yes.", TEXT, None),
    "round, no document": ("It fell (9).", TEXT, None),
    "round, counts what follows": ("Three fell: (1) the wall, (2) the gate.", TEXT, None),
    "round, beside ids in square ones": (
        "Martin (1) and Lin (2) [d2].",
        ["d2"],
        "Martin (1) and Lin (2).",
    ),
    "round, beside square ones": ("It fell in step (1) [2].", ["d2"], "It fell in step (1)."),
    "raised, powers": ("It is 40 km² or 3 m² big, x³ and 10².", TEXT, None),
    "raised, behind the full stop": ("It fell.¹ It rose.²", ["d1", "d2"], "It fell. It rose."),
    "raised, no document": ("It fell.⁹ It rose⁹.", ["9"], "It fell. It rose⁹."),
    "raised, two figures": ("It fell.¹²", ["d1", "d2"], "It fell."),
    "sup, a power": ("It is 3 km<sup>2</sup> big.", TEXT, None),
    "sup, isotopes": ("It is <sup>84</sup>Kr or <sup>3</sup>He.", TEXT, None),
    "raised, ions": ("It has PO₄³⁻ and SO₄²⁻.", TEXT, None),
    "source of a river": ("Rio Grande (source: San Juan Mountains).", TEXT, None),
    # what prompts count, in round brackets
    "round, a document": ("It fell (Document 1).", ["d1"], "It fell."),
    "round, passages by and": (
        "It fell (passages 1 and 3), then rose (Passage 2).",
        ["d1", "d3", "d2"],
        "It fell, then rose.",
    ),
    "round, each passage with its word": (
        "It fell (passage 1, passage 2, and passage 3).",
        ["d1", "d2", "d3"],
        "It fell.",
    ),
    "round, a place inside a document": ("It fell (passage 1, step 2).", ["d1"], "It fell."),
    "round, words before a document": (
        "It fell (see Document 1), rose (from Document 2), sank (cf. passage 3), stood (as stated in Document 1) "
        "and lay (according to Doc. 2).",
        ["d1", "d2", "d3", "d1", "d2"],
        "It fell, rose, sank, stood and lay.",
    ),
    "round, a sentence with a document": ("It fell (we all know that document 1).", TEXT, None),
    "round, words before an id": ("It fell (as stated in d1).", ["d1"], "It fell."),
    # the words for a source, in any language and any brackets
    "source in German, not the rest of the line": (
        "Sie fiel (Quelle: d1). Sie stieg (Belege: 1, 2).",
        ["d1", "d1", "d2"],
        "Sie fiel. Sie stieg.",
    ),
    "reference, not the rest of the line": (
        "It fell (Reference: d1). It rose (primary source: d2).",
        ["d1", "d2"],
        "It fell. It rose.",
    ),
    "sources between sentences": (
        "It fell. Source: d1. It rose. Primary source: The Wall. It stood.",
        ["d1", "d1"],
        "It fell. It rose. It stood.",
    ),
    "a source in a sentence": ("It had one source: the well of D1. It fell.", TEXT, None),
    "a source of two words": ("It has one source: d1. It fell.", TEXT, None),
    "Romance languages": (
        "A [Fonte 1], b (Fuente: d2), c [Référence n° 3], d [bron 1].",
        ["d1", "d2", "d3", "d1"],
        "A, b, c, d.",
    ),
    "other scripts": (
        "A [来源1]b【来源2】c [文档3] d（来源：d1）e（出典：2）f [文書3] g [문서 1] h [Документ 2] i [المصدر 3]。来源：d1。",
        ["d1", "d2", "d3"] * 3 + ["d1"],
        "A b c d e f g h i 。",
    ),
    # signs between the word and what it names
    "equals": (
        "A [docid=d1], b [id=d2], c [source=d1], d [doc_id=d2], e [id: 3].",
        ["d1", "d2", "d1", "d2", "d3"],
        "A, b, c, d, e.",
    ),
    "other signs": (
        "A [doc_1], b [doc-2], c [ref-3], d [Document No. 1], e (ref. 2), f [1.], g [1, Section 2].",
        ["d1", "d2", "d3", "d1", "d2", "d1", "d1"],
        "A, b, c, d, e, f, g.",
    ),
    "other brackets": ("A〔1〕 or ⟦2⟧.", ["d1", "d2"], "A or."),
    "round, a document of several": ("It fell (document 1 of 3).", TEXT, None),
    "a document in words": ("As document 1 says, it fell.", TEXT, None),
    "where a citation begins": (
        "[cite_start]It fell. [cite: 1, 2]\n[cite_start]It rose [cite: 3].",
        ["d1", "d2", "d3"],
        "It fell.\nIt rose.",
    ),
    # ranges, and marks in a row
    "range of two brackets": (
        "It fell [1]-[3] or [1]–[2].",
        ["d1", "d2", "d3", "d1", "d2"],
        "It fell or.",
    ),
    "joined by and": ("It fell [1] and [3].", ["d1", "d3"], "It fell."),
    # links and addresses where no document has one
    "link with words": ("As [the wall](https://x.example) says.", [], "As the wall says."),
    "link of a site": ("It fell ([x.example](https://x.example/1)).", [], "It fell."),
    "address asked for": ("Its page is https://x.example/1.", TEXT, None),
    # nothing is read there
    "code": ("Use `a[1]` and\n```\nb[2]\n```\n", TEXT, None),
    "code, indented": ("1. Use\n    ```\n    a[1]\n    ```\n", TEXT, None),
    "formula": ("Let $x_{[1]} = 2$ hold.", TEXT, None),
    "price": ("It cost $5 [d_1] and $6.", ["d_1"], "It cost $5 and $6."),
    "image": ("It is ![so [1]](x.png) here.", TEXT, None),
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
    "angle": ("It fell <<cite: The Wall>>.", ["d1"], "It fell."),
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
    "ref, no quotes": ("It fell in <ref name=d1>1668</ref>.", ["d1"], "It fell in 1668."),
    "ref, self-closing": ('It fell <ref name="d1"/>.', ["d1"], "It fell."),
    "ref, attribute after": ('It fell <ref name="d1" group="g"/>.', ["d1"], "It fell."),
    "ref, attribute before": ('It fell <ref group="g" name="d1"/>.', ["d1"], "It fell."),
    "raised, behind one sign": ("桥建于1998年²。", ["d2"], "桥建于1998年。"),
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
    "in round brackets behind words": (
        "It fell (Source: Document [1]), rose (Quelle: [2]) and sank (see Documents [1], [2]).",
        ["d1", "d2", "d1", "d2"],
        "It fell, rose and sank.",
    ),
    "in a tag of a link": ('It fell <a href="#d1">[1]</a>.', ["d1"], "It fell."),
    "double brackets with a target": ("It fell [[1]](#d1).", ["d1"], "It fell."),
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


def test_marks_that_name_no_source_are_counted_and_said(tmp_path: Path) -> None:
    row = {
        "question": "Where?",
        "contexts": ["It stands in Oslo.", "It is old."],
        "answer": "It stands in Oslo [^1^]. It is old [^7^] (see [2]). It is red [web:9]. See [A](https://x.example).",
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps({**row, "question": "Which?"}))
    done = CliRunner().invoke(main, ["evaluate", str(path), "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["marks"] == {
        "[^1^]": {"form": "[^1^]", "read": 4, "unknown": 2},
        "[1]": {"form": "[1]", "read": 2, "unknown": 0},
        "[web:1]": {"form": "[web:1]", "read": 2, "unknown": 2},
        "[The Wall](https://a.example/1)": {
            "form": "[The Wall](https://a.example/1)",
            "read": 2,
            "unknown": 2,
        },
    }
    (line,) = (one for one in done.stderr.splitlines() if "of the form" in one)
    assert line.startswith(
        "4 marks of the form [^1^] were read; 2 name no source. 2 marks of the form [web:1] were read; 2 "
    )
    assert line.endswith(": [7] in row-1, [9] in row-1, [7] in row-2")
    # Who counts from zero names the source before each: a mark that names nothing is the one sign of it.
    path.write_text(json.dumps({**row, "answer": "It stands in Oslo [0]. It is old [1]."}))
    done = CliRunner().invoke(main, ["evaluate", str(path)])
    assert "[0] in row-1. Marks count sources from 1: where yours count from 0" in done.stderr


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


def test_a_word_and_a_number_may_be_an_id_of_their_own() -> None:
    index = CitationIndex.of(["x1", "doc_1"])
    assert [mark.names for mark in find_marks("A [doc_1] b [doc-1] c [doc_7].", index)] == [
        ("doc_1",),
        ("x1",),
        ("doc_7",),
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


PAGES = CitationIndex.of(
    {**DOCUMENTS, "d4": Document("d4", "")},
    {id: one.title for id, one in DOCUMENTS.items()},
    urls={"https://a.example/1": "d1", "https://b.example/2": "d2"},
)
OWN_LIST = """

## References
- Smith, J. (2020). The Wall.
- Jones, A. 2019. The Wall, again.

[^note]: The Wall
"""


@pytest.mark.parametrize(
    ("notation", "example"),
    [(one.name, example) for one in NOTATIONS for example in one.examples],
)
def test_every_example_of_the_table_names_a_document(notation: str, example: str) -> None:
    head = "It fell" if example[0] in "¹." else "It fell "
    marks = read_marks(
        f"{head}{example}{OWN_LIST if notation in ('author', 'note') else ''}", PAGES
    )
    assert {mark.notation for mark in marks} - {"closes"} == {notation}
    assert all(mark.names and PAGES.knows(mark) for mark in marks if mark.kind != "closes")


LISTS = {
    "a list in another order": (
        "It fell [1].\n\nReferences\n[1] L’Avare\n[2] The Wall",
        ["d2"],
    ),
    "titles inside of entries": ("It fell [1].\n\n## Sources\n1. Ann, The Wall. 2019.", ["d1"]),
    "addresses": ("It fell [1].\n\n[1]: https://b.example/2?utm_source=x", ["d2"]),
    "an address that is no document": (
        "It fell [1].\n\n[1] https://c.example/",
        ["https://c.example/"],
    ),
    "a list that says nothing known": ("It fell [1].\n\nReferences\n[1] A book", ["d1"]),
    "raised figures": ("It fell.¹\n\n¹ https://b.example/2", ["d2"]),
    "authors": ("It fell (Smith, 2020). Jones et al. (2019) deny it." + OWN_LIST, ["d1", "d1"]),
    "no such author": ("It fell (Paris, 1931)." + OWN_LIST, []),
    "round, of the list": ("It fell (7).\n\nReferences\n(7) The Wall", ["d1"]),
}


@pytest.mark.parametrize(("text", "names"), LISTS.values(), ids=LISTS)
def test_the_own_list_of_an_answer_says_what_its_marks_name(text: str, names: list[str]) -> None:
    assert [name for mark in find_marks(text, PAGES) for name in mark.names] == names


A, B = "(https://a.example/1)", "(https://b.example/2)"
LINKS = {
    "inside": (f"As [the wall]{A} says, it fell.", [("As the wall says, it fell.", "d1")]),
    "behind": (f"It fell. [Site]{A} It rose. [B]{B}", [("It fell.", "d1"), ("It rose.", "d2")]),
    "several behind": (
        f"It fell. [Site]{A} [B]{B} It rose.",
        [("It fell.", "d1 d2"), ("It rose.", "")],
    ),
    "opens the next sentence": (
        f"It fell. [The wall]{A} says so.",
        [("It fell.", ""), ("The wall says so.", "d1")],
    ),
    "on a line": (f"It fell.\n\n[Site]{A}\n\nIt rose.", [("It fell.", "d1"), ("It rose.", "")]),
    "a line of its own": (
        "It fell.\n**Source:** https://a.example/1\nIt rose.",
        [("It fell.", "d1"), ("It rose.", "")],
    ),
    "in round brackets": (
        "It fell (Sources: https://a.example/1, https://b.example/2).",
        [("It fell.", "d1 d2")],
    ),
    "without words": (f"It fell []{A}.", [("It fell.", "d1")]),
}


@pytest.mark.parametrize(("text", "expected"), LINKS.values(), ids=LINKS)
def test_a_link_belongs_to_the_sentence_that_it_closes_or_holds(
    text: str, expected: list[tuple[str, str]]
) -> None:
    read = read_answer("q", text, PAGES).sentences
    assert [(one.plain, " ".join(one.citations)) for one in read] == expected


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
    "marks in a list": ("- Iron [1]\n- Gold [2].", [("Iron", "d1"), ("Gold.", "d2")]),
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
    "punctuation alone": ("It fell.\n---\nIt rose.", [("It fell.", ""), ("It rose.", "")]),
    "invented": ("It fell [7]. It rose <cite>X</cite>.", [("It fell.", "7"), ("It rose.", "X")]),
}


@pytest.mark.parametrize(("text", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_reads_so(text: str, expected: list[tuple[str, str]]) -> None:
    answer = read_answer("q", text, DOCUMENTS, run="r")
    assert (answer.id, answer.text, answer.run) == ("q", text, "r")
    read = [(one.plain, " ".join(one.citations)) for one in answer.sentences]
    assert read == expected
    assert all(text[one.start : one.end] == one.text for one in answer.sentences)


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


TITLES = ["The Wall", "A Gate of Iron", "Gold and Silver", "On Bridges"]
FORMS = [
    "[{n}]",
    "[^{n}]",
    "【{n}†source】",
    "［{n}］",
    "<sup>{n}</sup>",
    "[web:{n}]",
    "[Source: {n}]",
    "[{t}]",
]
SAID = [
    "It fell in 1668{}.",
    "The gate, of iron, held{}.",
    "It is 3 km² big.{}",
    "- Nobody saw it{}",
    "So it is{} and stays.",
]
CITED = st.lists(
    st.tuples(st.sampled_from(SAID), st.sampled_from(FORMS), st.integers(0, 3)),
    min_size=1,
    max_size=6,
)


def written(said: list[tuple[str, str, int]], order: list[int]) -> str:
    """An answer whose marks number the documents, of which ``order`` gives the places."""
    marks = (form.format(n=order.index(one) + 1, t=TITLES[one]) for _, form, one in said)
    return "\n".join(text.format(" " + mark) for (text, *_), mark in zip(said, marks, strict=True))


@settings(deadline=None, max_examples=300)
@given(
    CITED,
    st.sampled_from(["## References", "Sources:", "**Works cited**"]),
    st.sampled_from(["[{}]", "{}."]),
)
def test_an_appended_reference_list_moves_nothing(
    said: list[tuple[str, str, int]], heading: str, number: str
) -> None:
    documents = [(f"d-{title}", title) for title in TITLES]
    text = written(said, [0, 1, 2, 3])
    lines = [
        f"{number.format(n)} {title}. https://x.example/{n}" for n, title in enumerate(TITLES, 1)
    ]
    plain = read_answer("q", text, documents)
    listed = read_answer("q", "\n".join([text, "", heading, *lines]), documents)
    assert [(one.plain, one.citations) for one in listed.sentences] == [
        (one.plain, one.citations) for one in plain.sentences
    ]


@settings(deadline=None, max_examples=300)
@given(CITED, st.permutations([0, 1, 2, 3]))
def test_documents_in_another_order_with_marks_renumbered_move_nothing(
    said: list[tuple[str, str, int]], order: list[int]
) -> None:
    before, after = (
        read_answer("q", written(said, places), [(f"d-{TITLES[at]}", TITLES[at]) for at in places])
        for places in ([0, 1, 2, 3], order)
    )
    assert [(one.plain, one.citations) for one in after.sentences] == [
        (one.plain, one.citations) for one in before.sentences
    ]


_HOSTILE = (
    "[1]¦[1] ¦[1],¦[1-50]¦[1,¦1,¦[d1;¦<ref name='a'>¦<ref name='a'>x. ¦"
    "<ref name='a'>x. Y</ref>¦<ref ¦<cite>a;</cite>¦<cite>¦[Source: [a]¦<<cite: a¦"
    '##Cite a#¦([1])¦( ¦(see ¦(1)¦¹¦.¹¦[a](¦[a](http://b)¦[a](http://b) ¦http://a¦http://a ¦`¦``` ¦$_¦![¦<sup>¦［¦【†¦[^¦(Smith 2020)¦(Source: ¦[[¦\\\\[1¦Sources\n¦1. a https://x.example/\n¦[1]: ¦¹ http://a\n¦[a](http://b)\n¦\xa0[1]¦[1]\n¦A [1]. ¦</ref>¦[1](¦[1](a)¦«"¦"a";¦<ref name="a"¦[1]\nSources:\n'
)
HOSTILE = _HOSTILE.split("¦")


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    assert_linear(piece, lambda text: read_answer("q", text, INDEX))


@pytest.mark.parametrize(
    "last",
    ["Source: https://a.example/b", "Sources: *https://a.example/b*", "Source: www.a.example"],
)
def test_a_last_line_with_one_address_is_read(last: str) -> None:
    """It ended every command in a traceback, and many models end their answers so."""
    read = read_answer("q", f"It opened in 1931.\n\n{last}", DOCUMENTS)
    assert read.sentences[0].text == "It opened in 1931."


def test_a_bracket_in_the_signs_of_code_cites() -> None:
    (one,) = read_answer("q", "It fell `[d1]`.", INDEX).sentences
    assert (one.plain, one.citations) == ("It fell.", ("d1",))


def test_a_range_names_fifty_documents_at_most() -> None:
    index = CitationIndex.of([f"d-{number}" for number in range(1, 61)])
    (mark,) = find_marks("So it is [1-50].", index)
    assert mark.names == tuple(f"d-{number}" for number in range(1, 51))
    (mark,) = find_marks("So it is [1-51].", index)
    assert mark.names == ("1-51",)


OWN_IDS = CitationIndex.of(
    [f"q01-{one}" for one in "abcd"], ["Die Brücke", "Der alte Turm", "1984", "The Wall"]
)
FOURTH_AND_SECOND = (
    "Quellen:\n[1] q01-d\n[2] q01-b",
    "## Literatur\n1. q01-d\n2. q01-b",
    "**Références :**\n[1] q01-d\n[2] q01-b",
    "**Sources used:**\n- [1] q01-d\n- [2] q01-b",
    "Referenced documents:\n[1] [q01-d]\n[2] [q01-b]",
    "Belegstellen:\n[1] q01-d\n[2] q01-b",  # no heading that is known: ids tell
    "Sources: [1] q01-d, [2] q01-b",
    "---\n\n*Sources: [1] q01-d; [2] q01-b*",
    "[^1]: [q01-d]\n[^2]: Document q01-b, first paragraph.",
    '[1] "Q01-D"\n[2] q01-b (Der alte Turm)',
    "References\n[1] The Wall (q01-d)\n[2] Der alte Turm, 2020",
    "[1] The Wall\n[2] “Der alte Turm”",
    "1. The Wall\n2. *Der alte Turm*",
    "Sources: [1] The Wall, [2] Der alte Turm",
    "## Sources\n\n| # | Title |\n|---|---|\n| 1 | The Wall |\n| 2 | Der alte Turm |",
    # without a heading that is known: each entry holds one id
    "---\n[1] A wall of old (q01-d)\n[2] Over the water (q01-b)",
    "**List of sources:**\n- [1] The Wall (q01-d)\n- [2] Der alte Turm — q01-b",
    "## References / Sources\n1. The Wall (q01-d)\n2. Over the water: Letob (q01-b)",
    "**Sources:** [1] A wall of old (q01-d), [2] Over the water: Letob (q01-b)",
    "[1] = q01-d, [2] = q01-b",
    "| Ref | Document ID | Title |\n|---|---|---|\n| [1] | q01-d | The Wall |\n| [2] | q01-b | Der alte Turm |",
    "Source key:\n1 = q01-d\n2 = q01-b",
    "References\n1 q01-d\n2 q01-b",
    "References\n1: q01-d\n2: q01-b",
    # with the words that name the sources in the text
    "Sources:\n- **Source 1:** q01-d\n- **Source 2:** q01-b",
    "References\nDoc 1: q01-d\nDoc 2: q01-b",
    "[Ref 1] q01-d\n[Ref 2] q01-b",
    "**Quellen**\n\n<sup>1</sup> q01-d\n<sup>2</sup> q01-b",
)


@pytest.mark.parametrize("tail", FOURTH_AND_SECOND)
@pytest.mark.parametrize("documents", [4, 5_000])
def test_an_answers_own_list_says_what_its_numbers_name(tail: str, documents: int) -> None:
    """However large the set, however short its ids, and in whatever language the list is headed."""
    others = [f"x{number:04}-z" for number in range(documents - 4)]
    whole = CitationIndex.of([f"q01-{one}" for one in "abcd"] + others)
    read = read_answer("q", f"It fell [1]. It rose [2].\n\n{tail}", OWN_IDS.over(whole))
    assert [(one.plain, one.citations) for one in read.sentences] == [
        ("It fell.", ("q01-d",)),
        ("It rose.", ("q01-b",)),
    ]


HEADED = ["## Sources\n1. The Wall\n2. q01-b", "**Sources**\n- [1] q01-d\n- [2] q01-b"]
HEADS = ["Sources: [1] q01-d, [2] q01-b", *HEADED]


@pytest.mark.parametrize(
    "form",
    [
        *(f"{head}\n\n{{0}}" for head in HEADS),
        *(f"{head}\n\n## Answer\n{{0}}" for head in HEADS),
        *(f"{{0}}\n\n{head}\n\nThat is all that I found." for head in HEADED),
    ],
)
@pytest.mark.parametrize(
    "body",
    [
        "It was closed in 1668 [1]. It is open [2].",
        "- It was closed in 1668 [1].\n- It is open [2].",
    ],
)
def test_a_list_of_sources_may_stand_above_other_words(form: str, body: str) -> None:
    read = read_answer("q", form.format(body), OWN_IDS).sentences
    assert [one.citations for one in read[:2]] == [("q01-d",), ("q01-b",)]
    assert [one.plain for one in read[:2]] == ["It was closed in 1668.", "It is open."]


@pytest.mark.parametrize(
    "words",
    [
        "Documents:\n- Passport\n- Visa",
        "Notes:\n- q01-d: The wall was found in 1668.\n- It was built anew [q01-b].",
    ],
)
def test_items_above_other_words_are_a_list_of_sources_only_if_each_names_one(words: str) -> None:
    read = read_answer("q", f"{words}\n\nThen it was left to the sea.", OWN_IDS)
    assert len(read.sentences) == 3


@pytest.mark.parametrize(
    "form", ["({})", "(see {})", "{{{}}}", "<sup>[{}]</sup>", "– {}", "<td>{}</td>"]
)
def test_an_id_that_by_chance_has_no_digit_is_read_as_the_others_are(form: str) -> None:
    """Six in a hundred ids of core have none, and a participant can't see which."""
    ids = ["k3dmwq", "hxgmeq", "p0wtla"]
    (slug,) = read_answer(
        "q", f"It fell {form.format('old-mine')}", [("old-mine", ""), ("iron", "")]
    ).sentences
    assert slug.citations == ("old-mine",)
    (one,) = read_answer(
        "q", f"It fell {form.format('hxgmeq')}", [(id, "") for id in ids]
    ).sentences
    assert one.citations == ("hxgmeq",)
    # Where most ids are words, an id in brackets may be one.
    (one,) = read_answer(
        "q", f"It fell {form.format('iron')}", [(id, "") for id in ("iron", "d1", "tin")]
    ).sentences
    assert one.citations == (("iron",) if "[" in form else ())


@pytest.mark.parametrize("labels", ["AB", ("S1", "S2"), ("Ref-1", "Ref-2")])
@pytest.mark.parametrize("line", ["[{}] {}", "- {}: {}", "- **{}**: {}", "{} = {}"])
@pytest.mark.parametrize("head", ["## Sources\n", "---\n"])
def test_an_answer_may_label_its_sources_itself(labels: str, line: str, head: str) -> None:
    first, second = labels
    tail = "\n".join(map(line.format, labels, ("The Wall", "q01-b")))
    text = f"It fell [{first}]. It rose [{second}, {first}] [C].\n\n{head}{tail}"
    read = read_answer("q", text, OWN_IDS)
    assert [(one.plain, one.citations) for one in read.sentences] == [
        ("It fell.", ("q01-d",)),
        ("It rose [C].", ("q01-b", "q01-d")),
    ]


@pytest.mark.parametrize(
    "head", ["## Sources & Notes", "**Primary documents**", "Supporting texts:", "---"]
)
@pytest.mark.parametrize("line", ["- [{}] {}", "- {}: {}", "{1} ({0})", "- {0}", "* *{1}* – {0}"])
def test_lines_that_name_a_document_and_say_no_more_close_an_answer(head: str, line: str) -> None:
    tail = "\n".join(
        line.format(*one) for one in (("q01-d", "The Wall"), ("q01-b", "Der alte Turm"))
    )
    read = read_answer(
        "q", f"It was closed [q01-d]. It is open [q01-b].\n\n{head}\n{tail}", OWN_IDS
    )
    assert [one.plain for one in read.sentences] == ["It was closed.", "It is open."]
    # Where nothing above cites, they are what the answer says.
    read = read_answer("q", f"These stood there:\n{tail}", OWN_IDS)
    assert len(read.sentences) == 2


@pytest.mark.parametrize(
    "items",
    [
        ["The bridge opened in 1931", "A copper mine paid for it"],
        ["200 new jobs", "A steel bridge of 412 metres", "A new school"],
        ["F-16 jets", "M1 tanks", "B-52 bombers"],
        ["1,200 men", "3 years of work"],
    ],
)
@pytest.mark.parametrize("head", ["", "It brought:\n", "It was closed [q01-a].\n\n"])
def test_the_first_word_of_an_item_is_no_label_of_a_source(head: str, items: list[str]) -> None:
    text = head + "\n".join(f"- {one} [q01-d]" for one in items)
    read = [one for one in read_answer("q", text, OWN_IDS).sentences if one.citations == ("q01-d",)]
    assert [one.plain for one in read] == items


LED = {
    "in a row": "[q01-d] It was closed. [q01-b] It is open.",
    "with colons": "[4]: It was closed. [2]: It is open.",
    "in lines": "[q01-d]: It was closed.\n[q01-b]: It is open.",
    "over items": "[q01-d]\n- It was closed.\n\n[q01-b]\n- It is open.",
    "behind stops": "It was closed. [q01-d] It is open. [q01-b]",
    "behind words": "It was closed [q01-d]. It is open [q01-b].",
}


@pytest.mark.parametrize("text", LED.values(), ids=LED)
def test_marks_support_what_they_stand_at(text: str) -> None:
    read = read_answer("q", text, OWN_IDS).sentences
    assert [(one.plain, one.citations) for one in read] == [
        ("It was closed.", ("q01-d",)),
        ("It is open.", ("q01-b",)),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Sources: q01-d, q01-b",
        "**Sources:** [q01-d], [q01-b]",
        "(Sources: 4, 2)",
        "[q01-b] [q01-d]",
    ],
)
@pytest.mark.parametrize("behind", ["", "\n\n### Rest\nIt is old [q01-a]."])
def test_a_line_of_sources_that_says_again_what_is_cited_above_cites_nothing_more(
    line: str, behind: str
) -> None:
    read = read_answer(
        "q", f"It was closed [q01-d]. It is open [q01-b].\n\n{line}{behind}", OWN_IDS
    ).sentences
    assert [one.citations for one in read[:2]] == [("q01-d",), ("q01-b",)]
    # The line cites for a sentence that has no marks, and where it names another source.
    for text in (
        "It was closed [q01-d]. It is open.",
        "It was closed. It is open [q01-a].",
    ):
        read = read_answer("q", f"{text}\n\n{line}\n\n### Rest\nIt is old.", OWN_IDS).sentences
        assert {*read[1].citations} >= {"q01-d", "q01-b"}


def test_of_documents_that_share_a_title_the_number_beside_it_names_one() -> None:
    chunks = [("c1", "Wall"), ("c2", "Wall"), ("c3", "Iron")]
    for text in (
        "It fell [2]. It rose [3].\n\nSources:\n[2] Wall\n[3] Iron",
        "It fell [Document 2: Wall]. It rose [3. Iron].",
        "It fell [1]. It rose [2].\n\nSources:\n[1] Wall (c2)\n[2] Iron",
    ):
        read = read_answer("q", text, chunks).sentences
        assert [one.citations for one in read] == [("c2",), ("c3",)], text


def test_raised_figures_behind_long_numbers_are_marks() -> None:
    text = "It has 12,345² people. It cost 700<sup>4</sup>. It is 5 km² and 10² wide."
    read = read_answer("q", text, OWN_IDS).sentences
    assert [one.citations for one in read] == [("q01-b",), ("q01-d",), ()]


def test_a_link_is_read_as_a_bracket_where_no_document_has_an_address() -> None:
    at = "(https://a.example/1)"
    text = f"It fell [q01-d]{at}. It rose ([Document 2]{at}). It sank [[q01-c]]{at}. As [the sea]{at} rose, it went."
    assert [(one.plain, one.citations) for one in read_answer("q", text, OWN_IDS).sentences] == [
        ("It fell.", ("q01-d",)),
        ("It rose.", ("q01-b",)),
        ("It sank.", ("q01-c",)),
        ("As the sea rose, it went.", ()),
    ]


def test_a_table_of_facts_at_the_end_is_no_list_of_sources() -> None:
    text = "It fell [1].\n\n| Ref | Fact | Source |\n|---|---|---|\n| [1] | Rose | q01-d |\n| [2] | Sank | q01-b |"
    first, *rows = read_answer("q", text, OWN_IDS).sentences
    assert first.citations == ("q01-a",)
    assert ["Rose" in rows[0].plain, "Sank" in rows[1].plain] == [True, True]


@pytest.mark.parametrize(
    "tail",
    [
        "1. It lay [q01-d].\n2. It stood [q01-b].",
        "[1] says so.\n[2] says so.",
        "3. The Wall\n4. Der alte Turm",
        "## Notes\n- It was there [q01-d].\n- It stood by the sea for many years.",
        "[3]: It was in ruins.\n[4]: It was rebuilt.",
        "Q: Which one says so?\nA: q01-d",
    ],
)
def test_closing_lines_that_state_something_are_no_list(tail: str) -> None:
    read = read_answer("q", f"It fell [1]. It rose [2].\n\n{tail}", OWN_IDS)
    assert len(read.sentences) == 4
    assert read.sentences[0].citations == ("q01-a",)


@pytest.mark.parametrize(
    "mark",
    [
        *("(Source: {})", "(source: {})", "(see {})", "(Quelle: {})", "[Source: {}]", "({})"),
        *("(Document ID: {})", "(see {}, p. 2)", "[as stated in {}]"),
    ],
)
@pytest.mark.parametrize("name", ["doc_{}", "doc-{}", "document_{}", "chunk_{}"])
def test_an_id_that_begins_with_a_word_for_a_document_is_that_document(
    mark: str, name: str
) -> None:
    """The first one is doc_0: as a number behind a word, each citation named the document before."""
    index = CitationIndex.of([name.format(n) for n in range(3)], ["", "", ""])
    read = read_answer("q", f"It fell {mark.format(name.format(1))}.", index)
    assert [one.citations for one in read.sentences] == [(name.format(1),)]


@pytest.mark.parametrize(
    "head",
    [
        *("Source", "Sources", "Ref.", "Quelle", "**Doc ID**", "Reference no.", "Source(s)"),
        *("Citation(s)", "Evidence", "Cited in", "Ref #", "来源", "Источник"),
    ],
)
@pytest.mark.parametrize(
    "cells",
    [
        ("4", "2"),
        ("q01-d", "q01-b"),
        ("The Wall", "Der alte Turm"),
        ("[4]", "[q01-b]"),
        ("The Wall (4)", "2. Der alte Turm"),
    ],
)
def test_the_column_of_sources_of_a_table_cites(head: str, cells: tuple[str, str]) -> None:
    text = f"| # | Fact | {head} |\n|:-:|---|--:|\n| 1 | It fell | {cells[0]} |\n| 2. | It rose | {cells[1]} |"
    read = read_answer("q", f"The facts:\n\n{text}", OWN_IDS)
    assert [(one.plain, one.citations) for one in read.sentences] == [
        ("Fact: It fell", ("q01-d",)),
        ("Fact: It rose", ("q01-b",)),
    ]


@pytest.mark.parametrize("head", ["Backed by", "Supporting Document", "Where", ""])
@pytest.mark.parametrize("cells", [("q01-d", "q01-b, q01-a"), ("Document 4", "Doc 2 and doc 1")])
def test_a_column_of_nothing_but_documents_cites(head: str, cells: tuple[str, str]) -> None:
    text = f"| Fact | {head} |\n|---|---|\n| It fell | {cells[0]} |\n| It rose | {cells[1]} |\n| It is so | – |"
    read = read_answer("q", text, OWN_IDS)
    assert [(one.plain, one.citations) for one in read.sentences] == [
        ("Fact: It fell", ("q01-d",)),
        ("Fact: It rose", ("q01-b", "q01-a")),
        ("Fact: It is so", ()),
    ]


@pytest.mark.parametrize(
    ("head", "cells"),
    [
        ("Backed by", ("q01-d", "the mayor")),
        ("Where", ("The Wall", "Die Brücke")),
        ("Sources counted", ("3", "2")),
        ("Years", ("4", "2")),
        ("Model", ("q01-d", "q01-z")),
    ],
)
def test_a_column_that_also_holds_other_words_cites_nothing(
    head: str, cells: tuple[str, str]
) -> None:
    text = f"| Fact | {head} |\n|---|---|\n| It fell | {cells[0]} |\n| It rose | {cells[1]} |"
    read = read_answer("q", text, OWN_IDS)
    assert [(one.plain, one.citations) for one in read.sentences] == [
        (f"Fact: It fell; {head}: {cells[0]}", ()),
        (f"Fact: It rose; {head}: {cells[1]}", ()),
    ]


def test_the_column_of_sources_holds_words_that_name_nothing() -> None:
    text = "| Fact | Source |\n|---|---|\n| It fell | the mayor |\n| It rose | – |"
    read = read_answer("q", text, OWN_IDS)
    assert [(one.plain, one.citations) for one in read.sentences] == [
        ("Fact: It fell; Source: the mayor", ()),
        ("Fact: It rose", ()),
    ]


def test_a_tag_that_opens_a_sentence_belongs_to_it_alone() -> None:
    text = (
        '<cite index="1-1">It fell in 1931</cite>. It lay. <cite index="2-1">It rose</cite>. <cite index="">It stood</cite>.'
        ' <ref name="q01-c">It stands</ref>.'
    )
    read = read_answer("q", text, OWN_IDS)
    assert [(one.plain, one.citations) for one in read.sentences] == [
        ("It fell in 1931.", ("q01-a",)),
        ("It lay.", ()),
        ("It rose.", ("q01-b",)),
        ("It stood.", ()),
        ("It stands.", ("q01-c",)),
    ]


@pytest.mark.parametrize("piece", [" ", "|", "-", "|-", "a|b\n|-|-|\n"])
def test_tables_are_looked_for_in_linear_time(piece: str) -> None:
    assert_linear(piece, lambda text: find_marks(f"a|b\n{text}x|", INDEX))


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("Documents", ("12", "3")),  # a count of them: no document has the number 12
        ("Citations", ("120", "2")),
    ],
)
def test_a_column_of_figures_cites_nothing(head: str, rows: tuple[str, str]) -> None:
    text = f"| Archive | {head} |\n|---|---|\n| Harlow | {rows[0]} |\n| Aden | {rows[1]} |"
    read = read_answer("q", text, OWN_IDS)
    assert [(one.plain, one.citations) for one in read.sentences] == [
        (f"Archive: Harlow; {head}: {rows[0]}", ()),
        (f"Archive: Aden; {head}: {rows[1]}", ()),
    ]


def test_where_other_cells_cite_a_column_of_numbers_is_of_figures() -> None:
    text = "| Paper | Citations |\n|---|---|\n| It fell [1] | 2 |\n| It rose [2] | 3 |"
    read = read_answer("q", text, OWN_IDS)
    assert [one.citations for one in read.sentences] == [("q01-a",), ("q01-b",)]


@pytest.mark.parametrize("before", ["", "\n", "\n\n  "])
def test_marks_inside_of_a_fence_around_the_answer_cite(before: str) -> None:
    read = read_answer("q", f"{before}```markdown\nIt fell [1].\n```", OWN_IDS)
    assert [(one.plain, one.citations) for one in read.sentences] == [("It fell.", ("q01-a",))]


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("It lies in [Oslo](https://a.example/wiki/Oslo).", "It lies in Oslo."),
        ("- [Oslo](https://a.example/oslo)", "Oslo"),
        ("It fell [a.example](https://a.example/1).", "It fell."),
    ],
)
def test_a_linked_name_stays_where_its_address_has_it_too(said: str, plain: str) -> None:
    assert [one.plain for one in read_answer("q", said, INDEX).sentences] == [plain]


def test_a_list_that_is_the_whole_answer_is_read() -> None:
    read = read_answer("q", "Documents:\n1. It fell in 1931 [1].\n2. Der alte Turm", OWN_IDS)
    assert [one.plain for one in read.sentences] == ["It fell in 1931.", "Der alte Turm"]


REAL = {
    # file below ../shared, the column of its answers, and the marks of each notation in them
    "data/crowdrag/responses.jsonl": ("text", {"square": 1339}),
    "vectors/web_reports/reports.jsonl": ("article", {"square": 884}),
    "data/ragtruth/models.jsonl": ("answer", {"url": 19, "link": 1, "said": 489, "headed": 5}),
}


@pytest.mark.parametrize("name", REAL)
def test_the_marks_of_real_answers_are_counted(name: str) -> None:
    path = shared(*name.split("/"))
    column, counts = REAL[name]
    index = CitationIndex.of([f"c-{number}" for number in range(1, 6)])
    lines = path.read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)[column] for line in lines]
    found = Counter(mark.notation for text in texts for mark in read_marks(text, index))
    assert found == counts


@pytest.mark.parametrize(
    "line",
    [
        "Sources used: q01-d, q01-b",
        "Documents referenced: q01-d, q01-b",
        "Document IDs: q01-d, q01-b",
        "[4] [2]",
    ],
)
@pytest.mark.parametrize("form", ["{1}\n\n{0}", "{0}\n\n{1}"])
def test_a_line_of_ids_over_or_under_an_answer_lists_its_sources(line: str, form: str) -> None:
    text = form.format("It was closed [q01-d]. It is open [q01-b]. Nobody knows why.", line)
    read = read_answer("q", text, OWN_IDS).sentences
    assert [one.citations for one in read] == [("q01-d",), ("q01-b",), ()]
    (alone,) = read_answer("q", line, OWN_IDS).sentences
    assert {*alone.citations} == {"q01-d", "q01-b"}


@pytest.mark.parametrize(
    "entry",
    [
        '[1] The Mill: "The Harlow Bridge fell."',
        "[1] Page on The Mill (beside the Harlow Bridge)",
    ],
)
def test_the_first_title_of_an_entry_names_it(entry: str) -> None:
    index = CitationIndex.of(["d1", "d2"], ["The Mill", "Harlow Bridge"])
    for numbered in (index, CitationIndex.of(["d2", "d1"], ["Harlow Bridge", "The Mill"])):
        (said,) = read_answer("q", f"It fell [1].\n\nReferences\n{entry}", numbered).sentences
        assert said.citations == ("d1",)


@pytest.mark.parametrize(
    "row", ["| Oslo | It fell. It is old. | [1] |", "| [1] | Oslo | It fell. It is old. |"]
)
def test_a_mark_alone_in_its_cell_cites_for_each_sentence_of_the_row(row: str) -> None:
    text = f"| A | B | C |\n|---|---|---|\n{row}\n| Bergen | It rose [2]. | It is new [3]. |"
    read = read_answer("q", text, OWN_IDS).sentences
    assert {one.citations for one in read[:2]} == {("q01-a",)}
    assert [one.citations for one in read[2:]] == [("q01-b",), ("q01-c",)]


@pytest.mark.parametrize(
    "sources",
    [
        '## Sources\n[1] besk\n"It was built in 1931."\n[2] cor\n"It fell."',
        "## Sources\n### Reports\n1. besk\n### Letters\n2. cor",
        "Sources:\n1. besk\n   Excerpt: “It is 5 m.”\n\n2. cor\n   Excerpt: “It is 6 m.”\n\nIt is red.",
    ],
)
def test_quotes_and_headings_between_sources_end_no_list(sources: str) -> None:
    text = f"It is old [2]. It is new [1].\n\n{sources}"
    known = [("arlon", "Arlon Bridge"), ("besk", "Besk Bridge"), ("cor", "Cor Bridge")]
    said = [(one.plain, one.citations) for one in read_answer("q", text, known).sentences]
    assert said[:2] == [("It is old.", ("cor",)), ("It is new.", ("besk",))]
    assert said[2:] == [("It is red.", ())] * text.endswith("red.")


def test_a_list_of_sources_ends_at_the_next_part() -> None:
    text = "It is old [1].\n\n## Sources\n1. besk\n2. cor\n\n## More\n1. It is new.\n2. It is red."
    known = [("arlon", ""), ("besk", ""), ("cor", "")]
    said = [one.plain for one in read_answer("q", text, known).sentences]
    assert said == ["It is old.", "It is new.", "It is red."]
    assert_linear("1. besk\nIt is.\n", lambda text: read_answer("q", f"## Sources\n{text}", known))


@pytest.mark.parametrize("digit", "1１١")
def test_a_number_cites_in_the_digits_of_any_script(digit: str) -> None:
    (said,) = read_answer("q", f"古い［{digit}］。", [("d7", "")]).sentences
    assert (said.plain, said.citations) == ("古い。", ("d7",))
