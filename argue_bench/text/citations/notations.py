"""The notations in which answers cite, one table that reading, documentation and tests are made from; the words that name a
source; and code and fences, inside of which nothing cites.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Servers refuse longer addresses, and a line without end must not be read as one.
# Characters of the longest address that is read.
LONGEST_URL = 4000
URL_STOPS = r"\s<>\"`|{}^\\。，、；：！？）】」』》〉“”（【「『《〈"
URL = re.compile(rf"https?://[^{URL_STOPS}]{{1,{LONGEST_URL}}}+(?![^{URL_STOPS}])", re.IGNORECASE)
# ``[words](address)``: one level of brackets in the words, two in the address.
LINK = (
    r"\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){0,500}+)\]\(\s?<?"
    rf"(?P<address>https?://(?:[^\s<>()]|\((?:[^\s<>()]|\([^\s<>()]{{0,99}}\)){{0,500}}+\)){{1,{LONGEST_URL}}}+)"
    r">?(?:\s(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'))?\s?\)"
)

# The words for a document and for a source, by which prompts count what they show and answers name it.
_SOURCE_WORDS = """
doc docs document documents ref refs reference references source sources passage passages citation citations context contexts
chunk chunks snippet snippets excerpt excerpts réf référence références extrait extraits dokument dokumente quelle quellen beleg
belege documento documentos fuente fuentes referencia referencias documenti fonte fonti riferimento riferimenti fontes referência
referências documenten bron bronnen 文档 文件 文献 资料 来源 出处 文檔 文獻 資料 來源 文書 出典 参照 문서 출처 자료 참고
документ документы источник источники مصدر المصدر المصادر وثيقة الوثيقة مستند المستند
"""
COUNTED = f"(?:{'|'.join(sorted(_SOURCE_WORDS.split(), key=len, reverse=True))})"
# Those that say so in square brackets, and may count other things in round ones.
SHOWN = f"(?:{COUNTED}|cite|articles?|(?:search )?results?|texts?|evidence|files?|from|see)"
# Up to three words that lead to a name: "as stated in Document 1", "primary source: d1"; in Chinese without blanks.
LEAD = (
    r"(?:(?:[^\W\d_][^\W\d_.'’-]{0,20}[.'’:：]?\s{1,2}){0,3}?|[\u3040-\u9fff\uac00-\ud7af]{1,4}?)"
)
# Between the word and the number or the name.
BEHIND_WORD = r"(?:\(s\))?[\s.:：=#_-]{0,4}(?:(?:n[or]|no|n[°º]|№|number)[.:]?\s?(?=\d))?"
# "see Document 1", "doc_id=d1", "web:1", "[D1]"
LABELLED = re.compile(
    rf"(?:(?:(?:doc[_\s-]?)?ids?|{LEAD}{COUNTED}|{SHOWN})(?![^\W\d_]){BEHIND_WORD}|[\^#][\s.:#]*|[^\W\d_]{{2,20}}[:#]\s?(?=\d)|[a-z](?=\d))"
    r"(?P<named>\S.*)",
    re.IGNORECASE,
)
SAID = re.compile(rf"\s?{LEAD}{COUNTED}(?:\s?[:：]|{BEHIND_WORD}\d)", re.IGNORECASE)
LED = re.compile(rf"{LEAD}\S+")
# What is an id whatever stands by it.
ID_LIKE = re.compile(
    r"(?=\S*\d)[\w.:/-]*[_#][\w.:/#-]*"  # shard_0_12, msmarco_v2.1_doc_3#1
    r"|(?:d|doc|document|source|src|passage|psg|ref|docid|id|pmid|chunk|page)[-.:]?\d+"
    r"|\d{7,}"
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[\w-]*",
    re.IGNORECASE,
)
# A line of its own, or a label before words, that is nothing but the name of a document: "### Document 3", "**d1:**".
HEADED = re.compile(
    r"^[ \t]{0,8}(?:(?:[-*+•>]|\d{1,2}[.)])[ \t]+){0,2}(?=[#*]|[^\n]{0,80}[:：])(?:#{1,6}[ \t]+)?"
    rf"(?P<mark>[*_]{{0,3}}(?P<named>(?:(?:from|in|per) )?{COUNTED}\W{{0,3}}\d[^\n\[\](){{}}<>:：*|]{{0,40}}|[^\W_][^\s\[\](){{}}<>:：*|]{{0,60}})"
    r"(?:[*_]{0,3}[ \t]?[:：][*_]{0,3}|[*_]{0,3}(?=[ \t\r]*$)))",
    re.MULTILINE | re.IGNORECASE,
)
# A place is no further document: "[1, p. 5]", "[1, Section 2]".
PLACE = re.compile(
    rf"(?:pp?\.|pages?|par(?:a|agraph)?\.?|lines?|l\.|§|(?!{SHOWN})[^\W\d_]{{3,20}}\.?\s)\s?\d+(?:\s?[-–.]\s?\d+)?",
    re.IGNORECASE,
)
HEADINGS = (
    "(?:references?|sources?|documents?|literature)(?: used(?: in (?:this|the|my) (?:answer|report))?| cited| consulted| referenced)?|"
    "source documents|"
    "(?:referenced|cited) (?:documents?|sources?)|works cited|bibliography|citations?|footnotes?|notes|"
    "reference list|quellen(?:angaben|verzeichnis)?|literatur(?:verzeichnis)?|belege|(?:einzel)?nachweise|"
    "fußnoten|références|bibliographie|fuentes|referencias|bibliografía|fonti|riferimenti|bibliografia|"
    "bronnen|fontes|referências|参考文献|参考资料|来源|引用|出典|출처|источники"
)
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


class Notation(NamedTuple):
    """A way of citing. ``pattern``: in it the group ``name`` holds the words that name a source."""

    name: str
    pattern: str
    examples: tuple[str, ...]
    names: str


# Every quantifier is bounded, or consumes what it reads, so that an unclosed bracket costs a bounded look
# ahead, not the rest of the text. Where two match, the first is read.
NOTATIONS = (
    Notation(
        "link",
        rf"(?P<link>{LINK})",
        (
            "[The Wall](https://a.example/1)",
            "[1](https://a.example/1)",
            "([a](https://a.example/1))",
        ),
        "the page, inside or behind its sentence; a number where no document has this address",
    ),
    Notation(
        "url",
        rf"(?:(?<=http)|(?<=https))://(?P<url>[^{URL_STOPS}\[]++)",
        ("https://a.example/1", "(Source: https://a.example/1)", "<https://a.example/1>"),
        "the page; also on a line of its own, `Source: https://...`",
    ),
    Notation(
        "range",
        r"\[(?P<range>\d{1,3}\]\s?[-‐‑–—]\s?\[\d{1,3})\]",
        ("[1]-[3]", "[1]–[3]"),
        "the first number, the last and all between",
    ),
    Notation(
        "dagger",
        r"[\[【](?P<dagger>[^【】\[\]\n†]{1,80}†[^【】\[\]\n]{0,300})[\]】]",
        ("【1†source】", "【4:0†The Wall】", "[1†L10-L12]"),
        "the file that is named behind the dagger, else the number",
    ),
    Notation(
        "source",
        r"\[\s?sources?\s?:\s?(?P<source>(?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){1,400}+)\]",
        ("[Source: The Wall]", "[Sources: 1, 2]"),
        "a title, an id, numbers",
    ),
    Notation(
        "labelled",
        r"(?:(?<=[\w*])|(?<=[\w*][ \xa0\u202f]))[:：][*_]{0,3}[ \t]*(?P<labelled>(?!https?:)[^\s*_\[\](){}<>|/][^\n\[\]{}<>|]{0,400}+)",
        ("Source: The Wall",),
        "titles, ids and numbers that are there, on a line of its own, or behind a sentence",
    ),
    Notation(
        "dash",
        r"(?<=\S )[-–—]{1,2}\s(?P<dash>[^\s\[\]][^\n\[\]]{0,200}?)(?=[.。]?[*_ \t]*$|[.。]\s)",
        ("It fell – d1.", "It fell — Document 1"),
        "ids that are not words, and behind the word numbers and titles, at the end of a line or sentence",
    ),
    Notation(
        "element",
        r"<source\s?>(?P<element>[^<>]{1,400})</source\s?>",
        ("<source>d1</source>", "<source>1</source>"),
        "numbers, and titles and ids that are there; an id that is not a word in any other element, as `<td>d1</td>`",
    ),
    Notation(
        "closes",
        r"(?P<closes></(?:ref|cite|source)\s?>|\[cite_start\])",
        (),
        "the end of what a tag encloses; `[cite_start]` says where a citation begins, and cites nothing",
    ),
    Notation(
        "note",
        r"\[\^(?P<note>[^\[\]\s]{1,80}?)\^?\](?!\()",
        ("[^1]", "[^1^]", "[^note]"),
        "an entry of the answer's notes, else the number",
    ),
    Notation(
        "double",
        r"\[\[(?P<double>[^\[\]\n]{1,400})\]\](?:\([^()\s]{1,500}\))?",
        ("[[1]]", "[[1]](#note)"),
        "numbers, ids, titles",
    ),
    Notation(
        "square",
        r"\^?\[(?P<square>[^\[\]\n]{1,400})\](?:\^(?!\w)|\([^()\s]{1,500}\))?",
        (
            *(
                "[1]",
                "[1, 3-4]",
                "[1][2]",
                "[1](#note)",
                "[1, p. 5]",
                "[web:1]",
                "[Source 1]",
                "[d1]",
            ),
            *("[d1; d2]", "[The Wall]"),
        ),
        "numbers, ids, titles",
    ),
    Notation(
        "escaped",
        r"\\\[(?P<escaped>\d[\d\s,;–-]{0,80}|[\w.:#-]{2,80})\\\]",
        ("\\[1\\]", "\\[d1\\]"),
        "numbers, an id",
    ),
    Notation(
        "wide",
        r"[［【〔⟦](?P<wide>[^［］【】〔〕⟦⟧\[\]\n]{1,400})[］】〕⟧]",
        ("［1］", "【1】"),
        "numbers, ids, titles",
    ),
    Notation(
        "raised",
        r"(?P<raised>[⁰¹²³⁴-⁹]{1,9}(?:[,˒⁻][⁰¹²³⁴-⁹]{1,9}){0,20})",
        ("¹", ".¹", "¹,³"),
        "numbers; behind a letter only of documents and entries that are there",
    ),
    Notation(
        "sup",
        r"(?:<sup\b[^<>]{0,200}>|\^(?=\[?\d{1,3}(?:[,;–-]\s?\d{1,3}){0,9}\]?\^))(?P<sup>(?:[^<^]|<(?!/?sup)){1,1000})(?:</sup\s?>|\^)",
        ("<sup>1</sup>", "<sup>[1]</sup>", "^1^"),
        "numbers; ids in square brackets",
    ),
    Notation(
        "round",
        r"\((?P<round>\d{1,3}(?:\s?[-,;–]\s?\d{1,3}){0,20})\)",
        ("(1)", "(1, 3)"),
        "numbers, behind words and before punctuation or the end of a line, in an answer where all such "
        "numbers are those of documents or entries and none is in square brackets",
    ),
    Notation(
        "author",
        rf"[(（](?!{LEAD}{COUNTED}\s?[:：])(?P<author>(?:(?-i:[A-ZÀ-ÞĀ-Ž])[^()\[\]\n]{{1,300}}?,?\s)?(?:1[5-9]|20)\d\d[a-z]?)[)）]",
        ("(Smith, 2020)", "(Smith et al., 2020; Jones 2019)", "Smith (2020)"),
        "the entry of the answer's reference list with this name and year",
    ),
    Notation(
        "tag",
        r"<cite\s?>(?P<tag>[^<>]{0,400})</cite\s?>",
        ("<cite>The Wall</cite>",),
        "a title, an id, numbers",
    ),
    Notation(
        "angle", r"<<\s?cite\s?:\s?(?P<angle>[^\n]{1,400}?)>>", ("<<cite: The Wall>>",), "the same"
    ),
    Notation(
        "hashes",
        r"##\s?cite[\s:]\s?(?P<hashes>(?:[^#\n]|#(?!#)){1,400}?)##",
        ("##Cite The Wall##",),
        "the same",
    ),
    Notation(
        "footnote",
        r"<ref\s?>(?P<footnote>[^<>]{0,400})</ref\s?>",
        ("<ref>The Wall</ref>",),
        "the same",
    ),
    Notation(
        "opens",
        r"""<(?:ref|cite(?!\s?>)|source)(?=[\s/>])(?P<opens>(?:\s+[\w:-]{1,30}\s?=\s?(?:"[^"<\n]{0,400}"|'[^'<\n]{0,400}')"""
        r"""|[^<>\n"'/]|["'](?=[^<>\n]{0,400}>)|/(?!\s?>)){0,400}+)/?\s?>""",
        (
            '<ref name="The Wall">1668</ref>',
            '<ref name="The Wall"/>',
            '<cite index="1-2">It fell.</cite>',
            '<source id="1"/>',
        ),
        "the same, for the words that it encloses; `index` counts documents, and then their sentences",
    ),
    Notation(
        "said",
        r"(?:(?:\\[a-z]{1,9})?\{{1,2}|[(（⟨<«])(?P<said>(?:(?!https?:)[^()（）\[\]{}⟨⟩<>«»\n]|\([^()\[\]\n]{0,100}\)){1,400}+)(?:\}{1,2}|[)）⟩>»])",
        (
            "(Source: The Wall)",
            "(Sources: 1, 2)",
            "(see Document 1)",
            "(passages 1 and 2)",
            "(d1)",
            "(see d1, d2)",
            "{d1}",
        ),
        "ids that are not words, and behind a word for a source, in twelve languages, numbers and titles; up to three other words "
        "before",
    ),
)
_CODE = r"(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n(?:.*?^[ \t]{0,8}(?P=fence)[`~]*[ \t]*$|.*\Z)"
# Code, formulas and images.
_DEAD = (
    rf"(?:(?<=\n)|(?<=\n )|(?<=\n  )|(?<=\n   )|(?<=\n    )|(?<=\n\t)){_CODE}"
    r"|(?P<tick>`{1,3})(?!`|\[[^\[\]\n]{1,80}\](?P=tick))[^`\n]{1,2000}(?P=tick)(?!`)"
    r"|\$\$[^$]{1,4000}\$\$|\$(?=\S)[^$\n]{0,500}[\\^_{][^$\n]{0,500}(?<=\S)\$(?!\d)"
    r"|!\[[^\[\]\n]{0,300}+(?:\[[^\[\]\n]{0,100}+\][^\[\]\n]{0,300}+)?\]\([^)\s]{1,4000}+\)"
)
NOTATION = re.compile(
    "|".join([f"(?P<dead>{_DEAD})", *(one.pattern for one in NOTATIONS)]),
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
# What may begin a mark: all other characters are skipped fast.
CANDIDATE = re.compile(r"(?<=\S )[-–—]|[<\[【［(（{⟨«\\`$#~^!:：〔⟦⁰¹²³⁴-⁹]")
_HEAD = re.compile(rf"\s*{_CODE}", re.MULTILINE | re.DOTALL)
# Around a whole answer; a program in a fence is code.
_FENCE = re.compile(
    r"\s*(```+|~~~+)[ \t]*(?:markdown|md|text|txt|plaintext|jsonl?|ya?ml|xml|html|csv)?[ \t]*\r?\n",
    re.IGNORECASE,
)


def code_at_the_head(text: str) -> int:
    """Where the block of code ends with which a text begins; 0 without one, or if it holds the whole text."""
    head = None if fenced(text) else _HEAD.match(text)
    return head.end() if head else 0


def fenced(body: str) -> tuple[int, int] | None:
    """Start and end of what one fence around a whole text encloses, code in it included; None without one."""
    if not (opened := _FENCE.match(body)):
        return None
    in_code = False
    for line in re.finditer(rf"^[ \t]*{opened[1]}[ \t]*(\w?).*$", body, re.M):
        if line.start() < opened.end():
            continue
        if not in_code and not line[1]:
            return None if body[line.end() :].strip() else (opened.end(), line.start())
        in_code = bool(line[1]) or not in_code
    return opened.end(), len(body)
