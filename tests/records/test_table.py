"""Tables in every format; cells cannot break out of theirs."""

from __future__ import annotations

import csv
import io

from argue_bench.records.table import Table

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
        r'a\textbar{}b "q", \textless{}b\textgreater{} \$x\_1\$ \textbackslash{} '
        r"\{\textasciitilde{}\textasciicircum{}\#\&\} & - \\"
    )
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_latex_takes_any_character() -> None:
    names = ["[x]", "*y", "--z", "Käse ł", "漢字 Ω", "a\u202eb", "e\u0301 \ud800"]
    lines = Table(("n",), [(name,) for name in names]).to_latex().splitlines()
    assert lines[0].startswith(r"\providecommand\otherscript")
    assert [line.removesuffix(r" \\") for line in lines[5:-2]] == [
        *("{[}x]", "{*}y", "{-}{-}z", r"K\"{a}se \l{}"),
        *(r"\otherscript{漢字} \otherscript{Ω}", "ab", r"\'{e} "),
    ]


MARKED = Table(
    ("system", "F1"),
    [("a", "35.7"), ("b", "35.1"), ("c_1", "9.0")],
    right=(1,),
    best={(0, 1)},
    alike={(1, 1)},
    notes=("† not significantly worse", "metric=f1 | n=8"),
)


def test_the_best_is_bold_and_what_is_not_shown_to_be_worse_has_a_dagger() -> None:
    assert MARKED.to_latex().splitlines()[4:] == [
        r"a & \textbf{35.7} \\",
        r"b & 35.1$^\dagger$ \\",
        r"c\_1 & 9.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip{\footnotesize $^\dagger$ not significantly worse\par}",
        r"\par\smallskip{\footnotesize metric=f1 \textbar{} n=8\par}",
    ]
    assert MARKED.to_markdown().splitlines()[2:] == [
        "| a | **35.7** |",
        "| b | 35.1† |",
        "| c_1 | 9.0 |",
        "",
        "† not significantly worse",
        "",
        r"metric=f1 \| n=8",
    ]
    assert "35.7" in MARKED.to_csv()
    assert "dagger" not in MARKED.to_csv()
