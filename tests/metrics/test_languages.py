"""Gold in any language is found by the metrics that compare strings, also where the row names no language."""

from __future__ import annotations

import pytest

from argue_bench import from_rows
from argue_bench.eval import evaluate
from argue_bench.records import Answer, Gold, Question, ShortAnswer
from argue_bench.text import read_answer

CASES = """
zh|这座桥是哪一年开放的?|这座桥于1931年开放。|1931
zh|这座桥是哪一年开放的?|这座桥于1931年开放。|1931年
ja|塔を設計したのは誰ですか。|設計者は山田太郎です。|山田太郎
ko|수도는 어디입니까?|수도는 서울이다.|서울
de|Wie viele Einwohner hat die Stadt?|Die Stadt hat 3.500 Einwohner.|3500
de|Wie viele Einwohner hat die Stadt?|Die Stadt hat 3,5 Mio. Einwohner.|3,5 Millionen
fr|Combien d'habitants a la ville ?|La ville a 1 234 567 habitants.|1 234 567
es|¿Cuándo fue inaugurado el puente?|Fue inaugurado el 3 de mayo de 1931.|3 de mayo de 1931
en|How many people live in the city?|Die Stadt hat 3.500 Einwohner und ist nicht groß.|3,500
en|How many people live in the city?|It has 3,500 people.|3,500
""".strip().splitlines()


@pytest.mark.parametrize("given", ["its own", "none"])
@pytest.mark.parametrize("line", CASES)
def test_gold_is_found_in_its_language(line: str, given: str) -> None:
    language, asked, text, wanted = line.split("|")
    gold = Gold(answer=wanted, short_answers=(ShortAnswer("", (wanted,)),))
    question = Question("q", asked, language=language if given == "its own" else "en", gold=gold)
    report = evaluate([question], [read_answer("q", text, {})], ["accuracy", "str_em", "grounding"])
    for score in ("accuracy.strict", "str_em.recall", "grounding.answer_em"):
        assert report.value(score) == 1.0, score
    missed = evaluate([question], [Answer("q", "7")], ["accuracy"])
    assert missed.value("accuracy.strict") == 0.0


@pytest.mark.parametrize(
    ("asked", "text", "wanted", "value", "unread"),
    [
        ("这座桥是哪一年开放的?", "这座桥于1931年开放。", "桥于1931年开放", None, 1),
        ("Wo ist die Brücke?", "Die Brücke ist in Köln.", "Die Brücke ist in Köln.", 1.0, 0),
    ],
)
def test_rouge_is_not_judged_where_it_reads_no_letters(
    asked: str, text: str, wanted: str, value: float | None, unread: int
) -> None:
    question = Question("q", asked, gold=Gold(answer=wanted, long_answers=(wanted,)))
    report = evaluate([question], [read_answer("q", text, {})], ["rouge", "rouge_lsum"])
    for key in ("rouge.rouge1_fscore", "rouge_lsum.fscore"):
        assert (report.scores[key].value, report.scores[key].not_judged) == (value, unread)


@pytest.mark.parametrize(
    ("asked", "text", "value"),
    [
        ("Who built it?", "I cannot answer that from the sources.", 1),
        ("Who built it?", "Ich kann diese Frage mit den Quellen nicht beantworten.", 1),
        ("Wer hat das gebaut und wann?", "I cannot answer that from the sources.", None),
        ("Wer hat das gebaut und wann?", "Ich kann diese Frage nicht beantworten.", None),
    ],
)
def test_refusals_count_in_the_languages_in_which_they_are_read(
    asked: str, text: str, value: float | None
) -> None:
    question = Question("q", asked, gold=Gold(answerable=False))
    report = evaluate([question], [read_answer("q", text, {})], ["grounding"])
    assert report.scores["grounding.refusal_recall"].value == value


@pytest.mark.parametrize(
    ("row", "language"),
    [
        ({"question": "Oslo?", "answer": "Oslo.", "Language": "de-AT"}, "de-AT"),
        ({"question": "Wie hoch ist der Turm?", "answer": "412 m."}, "de"),
        ({"question": "How high is it?", "answer": "412 m.", "language": "python"}, "en"),
    ],
)
def test_a_row_is_in_the_language_that_it_names_or_that_its_words_tell(
    row: dict[str, str], language: str
) -> None:
    data, _ = from_rows([row])
    assert data[0].language == language
