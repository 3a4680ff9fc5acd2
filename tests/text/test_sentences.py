"""Sentences, as a reader would part them: ``¦`` shows each boundary."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argue_bench.text import sentences, spans, splitter
from tests.growth import assert_linear

ENGLISH = {
    "plain": "It was built in 1931. ¦It stands.",
    "question, exclamation": "Was it built? ¦Yes! ¦It stands.",
    "no final stop": "It was built in 1931. ¦It stands",
    "one sentence": "It stands.",
    "title": "Dr. Smith met Mrs. Jones and Prof. Lee. ¦They spoke.",
    "title before a starter": "She married Mr. The and left. ¦He stayed.",
    "initials": "J. R. R. Tolkien wrote it. ¦He was English.",
    "joined initials": "J.R.R. Tolkien wrote it. ¦It sold well.",
    "middle initial": "George W. Bush and John F. Kennedy were presidents. ¦Both won.",
    "country inside a name": "He joined the U.S. Army in 1940. ¦He left in 1945.",
    "country at the end": "He moved to the U.S. ¦He stayed there.",
    "two countries": "The U.S. and the U.K. signed. ¦France did not.",
    "number": "Symphony No. 5 is in C minor. ¦It is famous.",
    "the word no": "Is it so? ¦No. ¦It was never so.",
    "the word no, name after": "The answer is no. ¦Paris is larger.",
    "for example": "Some metals, e.g. Iron, rust. ¦Gold does not.",
    "that is": "The largest city, i.e. Tokyo, grew. ¦It is old.",
    "and others": "Smith et al. Found it first. ¦We agree.",
    "et cetera": "They sell tea, coffee, etc. ¦Prices vary.",
    "et cetera inside": "They sell tea, coffee, etc. and more. ¦Prices vary.",
    "company inside": "Apple Inc. Chairman Arthur Levinson spoke. ¦He retired.",
    "company at the end": "He works at Apple Inc. ¦The company is large.",
    "junior": "Martin Luther King Jr. was born in 1929. ¦He died in 1968.",
    "decimals": "It costs 3.50 dollars. ¦Pi is 3.14159. ¦Version 1.2.3 is out.",
    "year at the end": "It ended in 1945. ¦In 1946 peace came.",
    "small number at the end": "The score was 5. ¦The game was over.",
    "number after": "It has 3 towers. ¦10 more were planned.",
    "ordinal": "He came 2nd. ¦She came 1st.",
    "month": "He was born on Jan. 5, 1930. ¦He died in Feb. 1999.",
    "clock": "It opens at 9 a.m. and closes at 5 p.m. ¦The rest is rest.",
    "degree": "She has a Ph.D. in physics. ¦He has an M.D. ¦They met.",
    "unit of one letter": "The river rose to 6.71 m. ¦Some people left.",
    "an initial behind a number": "In 1990 J. Smith left. ¦He returned.",
    "items in a row": "Five open: (1) Alba, (2) Brenn, and (3) Corl. ¦They fell. ¦They rose.",
    "items with one bracket": "Two fell: 1) Alba and 2) Brenn. ¦They rose. ¦They stood.",
    "items that are sentences": "Two steps: (1) Open it. ¦(2) Close it. ¦Go.",
    "a remark that ends in a number": "He (usually 18) may. ¦She (at most, 19) may. ¦They may.",
    "vitamin": "Oranges hold vitamin C. ¦Carrots do not.",
    "world war": "His father died in World War I. ¦He was raised by his aunt.",
    "page": "See p. 12 and pp. 3-4. ¦Then go on.",
    "figure": "See Fig. 3 for the plan. ¦It is old.",
    "born": "Ada (b. 1815, d. 1852) wrote it. ¦It ran.",
    "circa": "It was built c. 1200. ¦It fell ca. 1500.",
    "versus": "Roe vs. Wade was decided. ¦It was overturned.",
    "saint": "St. Louis lies on the river. ¦Mt. Everest does not.",
    "street": "He lives at 5 Main St. ¦He works there.",
    "ellipsis inside": "He waited... and waited. ¦Nothing came.",
    "ellipsis at the end": "He waited... ¦Nothing came.",
    "ellipsis character": "He waited… ¦Nothing came… and he left.",
    "spaced ellipsis": "He waited . . . and left. ¦She stayed.",
    "editor's ellipsis": "The wall [...] Berlin fell. ¦It was over.",
    "quotation of two sentences": '"We won. We are glad." ¦She left.',
    "quote": 'He said "It is done." ¦Then he left.',
    "curly quote": "He said “It is done.” ¦Then he left.",
    "quote goes on": '"Is it done?" he asked. ¦She nodded.',
    "opening quote": 'It ended. ¦"It is done," he said.',
    "brackets": "It was large. ¦(It was not old.) ¦It fell.",
    "bracket inside": "It was large (as in 1931.) and old. ¦It fell.",
    "doubtful": "He was born in 1931 (?) in Rome. ¦He died there.",
    "address": "See www.example.org/a.b?c=D. ¦It is free.",
    "domain": "Amazon.com grew. ¦Node.js did too.",
    "product": "It runs well. ¦iPhone owners agree.",
    "company with a mark": "Yahoo! Inc. was sold. ¦It lost value.",
    "lower case throughout": "it was built in 1931. ¦it stands, e.g. in rome. ¦it is old.",
    "lower case after a stop": "The approx. value is 5. ¦It grew.",
    "bold": "**It was built.** ¦**It stands.**",
    "closing tag": "<p>It was built.</p> ¦<p>It stands.</p>",
    "line-break tag": "It was built.<br>¦It stands.",
    "interrobang": "Really?! ¦Yes, really.",
    "no blank": "It was built.Then it fell.",
    "money": "It cost $3.5 million. ¦$2 million was paid.",
}

LISTS = {
    "bullets": "There are two:\n¦- Iron, e.g. Ore\n¦- Gold",
    "stars": "* It was built. ¦It stands.\n¦* It fell.",
    "numbers": "1. Go. ¦Wait.\n¦2. Stop.",
    "numbers and brackets": "1) Go\n¦2) Stop\n¦(3) Wait",
    "numbers in a line": "The steps are: 1. Go. ¦2. Stop. ¦3. Wait.",
    "letters": "a. Iron\n¦b. Gold",
    "goes on in the next line": "It was built in\nthe year 1931. ¦It stands.",
    "item goes on": "- It was built\n  in 1931.\n¦- It fell.",
    "headline": "# History\n¦The wall was built.",
    "lines": "France: 5\n¦Germany: 6",
    "lower-case lines after a colon": "Values:\n¦area: 6",
    "lines without capitals": "beijing\n¦tokyo",
    "paragraphs": "It was built\n\n¦It fell",
    "paragraph in lower case": "It was built\n\n¦it fell",
    "carriage returns": "It was built.\r\n¦It fell.",
    "table": "| a | b |\n¦| c | d |",
    "blank lines round": "\n\n  ¦It stands.  \n\n",
}

MARKS = {
    "before the stop": "It was built in 1931 [1]. ¦It stands [2].",
    "after the stop": "It was built in 1931. [1] ¦It stands. [2]",
    "after the stop, no blank": "It was built in 1931.[1] ¦It stands.[2]",
    "glued to the next": "It was built in 1931.[1]¦It stands.",
    "several after the stop": "It was built in 1931. [1][2] [3] ¦It stands.",
    "list after the stop": "It was built in 1931. [1], [2] ¦It stands.",
    "stop on both sides": "It was built in 1931. [1]. ¦It stands.",
    "stop behind the mark of an abbreviation": "It was found by Smith et al. [1]. ¦It stands.",
    "subject": "It was built in 1931. ¦[2] says not.",
    "after a quotation of two": '"We won. We are glad." [1] ¦She left [2].',
    "raised": "It fell in 1931.[1] ¦It rose. 【1†source】 ¦It stands.",
    "object": "As [2] says, it was built. ¦It stands.",
    "after an abbreviation": "Smith et al. [1] found it. ¦It stands.",
    "after a country": "He moved to the U.S. [1] ¦Paris was too large.",
    "tag": "It was built. <cite>Walls. A History</cite> ¦It stands.",
    "mark with stops inside": "It fell [Source: Dr. No. The Film] in 1931. ¦It stands.",
    "after a quote": 'He said "It is done." [1] ¦Then he left.',
    "before a new line": "It was built. [1]\n¦It stands. [2]",
    "at the head": "[1] It was built. ¦It stands.",
    "end": "It was built [1]",
}

FRENCH = {
    "plain": "Il fut construit en 1931. ¦Il existe encore.",
    "title": "M. Dupont et Mme. Durand vinrent. ¦Ils parlèrent.",
    "title, particle": "M. Le Pen vint. ¦Il parla.",
    "ladies": "Mlle. Rachel et MM. Blum et Auriol vinrent. ¦Tous parlèrent.",
    "doctor": "Le Dr. Petit est ici. ¦Elle attend.",
    "blank before the mark": "Est-ce vrai ? ¦Oui ! ¦C'est vrai.",
    "no-break blank": "Est-ce vrai\u00a0? ¦Oui\u202f! ¦C'est vrai.",
    "guillemets": "Il a dit : « C'est fini. » ¦Puis il partit.",
    "guillemets, no-break": "Il a dit\u00a0: «\u00a0C'est fini.\u00a0» ¦Puis il partit.",
    "guillemets go on": "« C'est fini ! » dit-il. ¦Elle partit.",
    "opening guillemets": "Il partit. ¦« C'est fini », dit-elle.",
    "before Christ": "Il naquit en 52 av. J.-C. à Rome. ¦Il mourut là.",
    "before Christ at the end": "Il naquit en 52 av. J.-C. ¦Il mourut à Rome.",
    "after Christ": "Il naquit en 14 apr. J.-C. et mourut à Rome. ¦Elle vécut.",
    "for example": "Des métaux, p. ex. le fer, rouillent. ¦L'or non.",
    "that is": "Le roi, c.-à-d. Louis, régna. ¦Il mourut.",
    "confer": "Il régna, cf. Histoire de France. ¦Il mourut.",
    "and others": "Du thé, du café, etc. ¦Les prix varient.",
    "number": "Le no. 5 est connu. ¦L'art. 12 aussi.",
    "decimals": "Il coûte 3,50 euros. ¦La version 1.2 existe.",
    "thousands": "Il coûte 1.000 euros. ¦Elle paie.",
    "month": "Né le 5 janv. 1930 à Lyon. ¦Mort en févr. 1999.",
    "initials": "J.-M. G. Le Clézio écrivit. ¦Il voyagea.",
    "initial at the end": "Elle prend de la vitamine C. ¦Elle va mieux.",
    "elision": "Il vint. ¦L'année suivante, il partit. ¦À Paris, on l'attendit.",
    "capital accent": "Il vint. ¦École et État changèrent. ¦Évidemment.",
    "ellipsis": "Il attendit… ¦Puis il partit... sans mot dire.",
    "century": "Il date du XIXe s. et reste beau. ¦Il est vieux.",
    "page": "Voir p. 12 et vol. II. ¦C'est clair.",
    "mark after the stop": "Il fut construit en 1931. [1] ¦Il existe encore.",
    "mark before the mark": "Est-ce vrai [1] ? ¦Oui [2].",
    "mark after guillemets": "Il dit : « C'est fini. » [1] ¦Puis il partit.",
    "dialogue": "— Est-ce vrai ?\n¦— Oui.",
    "company": "La S.N.C.F. Voyageurs recrute. ¦Elle grandit.",
    "saint": "Il vit à St. Malo. ¦Elle aussi.",
}

OTHER = {
    "Chinese quotation": ("zh", "“我们赢了。我们很高兴。”他说。¦他走了。"),
    "Japanese quotation": ("ja", "「勝った。嬉しい。」と言った。¦彼は去った。"),
    "German date and ordinal": ("de", "Am 3. Mai 1931 begann es. ¦Im 2. Weltkrieg endete es."),
    "German ordinal at the end": ("de", "Er wurde 3. ¦Dann ging er."),
    "German abbreviations": ("de", "Die Brücke z. B. von Dr. Maier ist ca. 5 m lang. ¦Sie steht."),
    "Spanish abbreviations": ("es", "El Sr. López fue a EE. UU. en 1931. ¦Volvió. ¦¿Cuándo?"),
    "Chinese": ("zh", "它建于1931年。¦它还在。"),
    "Japanese with a mark": ("ja", "1931年に建てられた。[1]¦今もある。"),
    "Hindi": ("hi", "यह बना। ¦यह है।"),
    "Spanish": ("es", "¿Es verdad? ¦¡Sí! ¦Es verdad."),
    "unknown language, English title": ("xx", "Dr. Smith came. ¦He left."),
    "region": ("fr-CA", "M. Le Pen vint. ¦Il parla."),
}

CASES = [
    *((f"en: {name}", "en", text) for name, text in (ENGLISH | LISTS | MARKS).items()),
    *((f"fr: {name}", "fr", text) for name, text in FRENCH.items()),
    *((name, language, text) for name, (language, text) in OTHER.items()),
]


@pytest.mark.parametrize(
    ("language", "marked"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_a_reader_would_part_it_so(language: str, marked: str) -> None:
    expected = [part.strip() for part in marked.split("¦") if part.strip()]
    assert sentences(marked.replace("¦", ""), language) == expected


def test_the_signature_names_the_rules_and_loads_no_spacy() -> None:
    assert splitter().startswith("argue-bench-14 sentencex-1.")
    code = (
        "import sys; from argue_bench.text import sentences; "
        "sentences('It stands. It fell.', 'fr'); sys.exit('spacy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


_PIECES = (
    '.¦. ¦! ¦?¦…¦[1]¦[¦]¦(¦)¦\n¦\n\n¦ ¦\xa0¦« ¦ »¦"¦A¦b¦Dr¦U.S¦No¦5¦- ¦1. ¦<cite>T</cite>¦'
    "<ref name='T'>¦</ref>¦[Source: T]¦\u2028¦\x1c¦é¦\u4e2d\u3002¦\ufdd0¦|¦<br>¦It¦says"
)
PIECES = st.lists(st.sampled_from(_PIECES.split("¦")), max_size=30).map("".join)


@settings(deadline=None, max_examples=300)
@given(PIECES | st.text(max_size=80), st.sampled_from(["en", "fr", "xx"]))
def test_nothing_but_white_space_is_lost(text: str, language: str) -> None:
    at = 0
    for sentence in sentences(text, language):
        start = text.index(sentence, at)
        assert not text[at:start].strip()
        assert sentence == sentence.strip() != ""
        at = start + len(sentence)
    assert not text[at:].strip()


@settings(deadline=None, max_examples=200)
@given(PIECES)
def test_spans_are_in_order(text: str) -> None:
    found = spans(text)
    assert all(start < end for start, end in found)
    assert all(before[1] <= after[0] for before, after in pairwise(found))


_HOSTILE = (
    "[¦(¦. ¦?¦…¦'¦ ¦\n¦« ¦a.¦A. ¦[1] ¦. [1]¦.[1],¦1-¦<cite>¦</cite>¦<ref name=¦"
    "<ref name='a'>¦<<cite: ¦##cite ¦#¦[Source: ¦[[¦【¦<¦*¦\n- ¦1. ¦|¦x¦: 1¦Dr. ¦. . ¦</b¦"
    "[a;¦. )¦��¦\ufdd0¦.\ufdd0¦;[1];¦[1,1],¦. »¦.\t¦\r¦.<br>"
)
HOSTILE = _HOSTILE.split("¦")


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    assert_linear(piece, sentences)
