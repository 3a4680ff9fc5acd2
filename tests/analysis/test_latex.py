"""What the LaTeX that we write makes of itself: compiled by pdfLaTeX, read back from the page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import argue_bench as ab
from argue_bench.cli import main

ENGINE = shutil.which("pdflatex")
HOSTILE = r"[a]&b%c_d#e$f{g}h~i^j\k *<l>|--m `n` é ł ß – 漢字 ≥ \end{tabular} \input{/etc/passwd}"
DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
\begin{table}
\centering
%s
\end{table}
\end{document}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        ENGINE is None,
        reason="not installed: pdflatex (apt-get install texlive-latex-base texlive-latex-recommended)",
    ),
]


def compiled(source: str, folder: Path) -> str:
    """The text of the page that the source makes; fails where LaTeX says anything is wrong."""
    folder.joinpath("table.tex").write_text(DOCUMENT % source, encoding="utf-8")
    command = [str(ENGINE), "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    log = ran.stdout.decode("utf-8", "replace")
    assert ran.returncode == 0, log
    assert not re.findall(r"^(?:!|.*Missing character|.*undefined).*", log, re.MULTILINE), log
    assert folder.joinpath("table.pdf").stat().st_size > 1_000
    return log


@pytest.fixture(scope="module")
def reports() -> list[ab.Report]:
    dev = ab.load_dev()[:24]
    texts = ["", "It is so.", "It is so, as the report says on its first page."]
    return [
        ab.evaluate(
            dev,
            [{"id": one.id, "answer": text} for one in dev],
            ["rouge", "faithfulness"],
            system=f"{HOSTILE} {number}",
        )
        for number, text in enumerate(texts)
    ]


def test_a_report_compiles(reports: list[ab.Report], tmp_path: Path) -> None:
    compiled(reports[1].to_latex(all_scores=True), tmp_path)


def test_a_comparison_of_hostile_names_compiles(reports: list[ab.Report], tmp_path: Path) -> None:
    source = ab.compare(*reports, resamples=200).to_latex()
    assert r"\textbackslash{}end\{tabular\}" in source
    compiled(source, tmp_path)


def test_what_the_commands_print_compiles(tmp_path: Path) -> None:
    rows = [
        {"question": HOSTILE, "contexts": [HOSTILE], "answer": f"{HOSTILE} It is {number}."}
        for number in range(3)
    ]
    runs = []
    for name in ("a_1 & 50%", "$b#{2}"):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        runs.append(str(tmp_path / f"{name}.run.jsonl"))
        found = CliRunner().invoke(
            main, ["evaluate", str(path), "--format", "latex", "--out", runs[-1]]
        )
        assert found.exit_code == 0, found.output
        compiled(found.stdout, tmp_path)
        rows[0]["answer"] = "It is."
    named = [f"{name}={runs[0]}" for name in ("[A] & B", "C_%")]
    again = CliRunner().invoke(main, ["compare", *named, "--format", "latex"])
    assert again.exit_code == 0, again.output
    compiled(again.stdout, tmp_path)
    listed = CliRunner().invoke(main, ["list", "metrics", "--format", "latex"])
    compiled(r"\tiny " + listed.stdout, tmp_path)
