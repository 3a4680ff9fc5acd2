"""Tables in every format; cells cannot break out of theirs."""

from __future__ import annotations

import csv
import io

from argue_bench.table import Table

TABLE = Table(
    ("system", "F1 %"),
    [("plain", "35.7"), ('a|b "q", <b>\n$x_1$ \\ {~^#&}', "-")],
    right=(1,),
)


def test_text_is_aligned() -> None:
    lines = Table(("a", "n"), [("bcd", "1"), ("e", "100")], right=(1,)).render().splitlines()
    assert lines == ["a      n", "bcd    1", "e    100"]


def test_csv_reads_back() -> None:
    rows = list(csv.reader(io.StringIO(TABLE.render("csv"))))
    assert rows == [list(TABLE.head), *map(list, TABLE.rows)]


def test_markdown_keeps_each_row_on_one_line_of_as_many_cells() -> None:
    lines = TABLE.render("md").splitlines()
    assert lines[:3] == ["| system | F1 % |", "| --- | ---: |", "| plain | 35.7 |"]
    assert lines[3] == '| a\\|b "q", &lt;b> $x_1$ \\\\ {~^#&} | - |'


def test_latex_has_booktabs_and_escapes_every_special_character() -> None:
    lines = TABLE.render("latex").splitlines()
    assert lines[:4] == [r"\begin{tabular}{lr}", r"\toprule", r"system & F1 \% \\", r"\midrule"]
    assert lines[5] == (
        r'a|b "q", \textless{}b\textgreater{} \$x\_1\$ \textbackslash{} '
        r"\{\textasciitilde{}\textasciicircum{}\#\&\} & - \\"
    )
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
