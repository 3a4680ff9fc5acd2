"""The lexical judge on every kind of ask, in English and French, row by row.

The rows were written by hand for what the judge promises to see: typed values, names, negation,
coverage. What it can't see stands in ``test_lexical_limits.py``, so that the docs stay true.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from argue_bench.judges.base import Said
from argue_bench.judges.lexical import RULES, Lexical
from argue_bench.records import (
    KINDS,
    Answers,
    Confirms,
    Contradicts,
    Entails,
    Factual,
    FirstInstance,
    Grounded,
    HelpsAnswer,
    JudgeRequest,
    Meets,
    NeedsCitation,
    NegativeAssertion,
    NotJudged,
    Prefers,
    Refuses,
    RelevanceGrade,
    Relevant,
    Similar,
    Source,
    Span,
    SupportLevel,
    Supports,
    Verdict,
)
from tests.shared import ROOT, table


def value(request: JudgeRequest) -> str | float:
    return RULES[type(request)](request).value


def entails(premise: str, hypothesis: str) -> str | float:
    return value(Entails((Source("d", premise),), hypothesis))


ENTAILS = table(
    """
    # names and numbers in a row state nothing, nor do small words
    The Dugrold was built at Vedisk in 1931. | Dugrold was built at Vedisk in 1931. | yes
    The Dugrold was built at Vedisk in 1931. | It is so. | no
    # numbers: digits and words, separators, scales
    Eleven people died in the flood. | The flood killed 11 people. | yes
    Eleven people died in the flood. | The flood killed 12 people. | no
    The town has 1,260 inhabitants. | The town has 1260 inhabitants. | yes
    The town has 1,260 inhabitants. | The town has 1.26 inhabitants. | no
    Twenty-one ships were lost. | 21 ships were lost. | yes
    The bridge cost 5.2 million crowns. | The bridge cost 5,200,000 crowns. | yes
    The loan was $3bn. | The loan was 3 billion euros. | no
    Some 1,300 people were evacuated. | 1,300 people were evacuated. | yes
    About 1,300 people were evacuated. | 1,287 people were evacuated. | no
    1,287 people were evacuated. | About 1,500 people were evacuated. | no
    # units
    The wall is 1.2 km long. | The wall is 1,200 metres long. | yes
    The wall is 1.2 km long. | The wall is 1.2 metres long. | no
    The last ferry leaves at 22:15. | The last ferry leaves at 10:15 pm. | yes
    The last ferry leaves at 22:15. | The last ferry leaves at 21:15. | no
    The shop opens at 9:00. | The shop opens at 9. | yes
    Book a cabin 3 days ahead. | Book a cabin 72 hours ahead. | yes
    A ticket is valid for 6 months. | A ticket is valid for 6 years. | no
    The trip took 90 minutes. | The trip took 1.5 hours. | yes
    Turnout was 62 per cent. | Turnout was 62%. | yes
    # dates
    It opened on 3 May 1931. | It opened in 1931. | yes
    Die Stadt hat 3500 Einwohner und wurde am 3. Mai 1931 gegründet. | Die Stadt wurde am 3. Mai 1931 gegründet. | yes
    Die Stadt hat 3500 Einwohner und wurde am 3. Mai 1931 gegründet. | Die Stadt hat 3.500 Einwohner. | yes
    Die Stadt hat 3500 Einwohner und wurde am 3. Mai 1931 gegründet. | Die Stadt hat 4.500 Einwohner. | no
    It opened in May 1931. | It opened on 3 May 1931. | no
    It opened on 3 May 1931. | It opened on 4 May 1931. | no
    The report of 2021-11-09 names the cause. | The report of 9 November 2021 names the cause. | yes
    # names
    Bettine Oshcroft won the election. | The election was won by Mrs Oshcroft. | yes
    Bettine Oshcroft won the election. | The election was won by Ruvan Teldrake. | no
    Anselme Crozenec steered the boat. | The boat was steered by Sabelin Crozenec. | no
    The World Health Organization praised it. | The WHO praised it. | yes
    Trains call at Clairvesse, Quenholt and Dunmarrick. | Trains call at Quenholt. | yes
    Trains call at Clairvesse and Quenholt. | Trains call at Clairvesse and Dunmarrick. | no
    The Zürich office closed. | The Zurich office closed. | yes
    # negation, ignorance
    The warranty does not cover batteries. | The warranty covers batteries. | no
    The treaty was signed by all states. | The treaty was not signed by all states. | no
    The treaty was never signed. | The treaty was not signed. | yes
    The cause of the fire is not known. | The cause of the fire is unknown. | yes
    The app runs on Mac, but not on Linux. | The app is not available on Linux. | yes
    The app is not available on Linux. | The app is available on Linux. | no
    For the fifth year in a row, storms were the No. 1 cause of delays of ferries. | For the fifth year, storms were the leading cause of delays of ferries. | yes
    The bridge was opened in spring without the mayor, who sent 800 crowns to the museum of the town. | The bridge was opened, and the mayor sent 800 crowns to the museum of the town. | yes
    # signs behind numbers, short months
    A sudden alert will come on Wednesday, Oct. 4, in all of Maine. | In all of Maine a sudden alert will come on October 4. | yes
    Preheat the oven to 250F. | Preheat the oven to 250°F. | yes
    They carry from 800 to 1350 lbs. above the rider. | They carry 800 to 1350 pounds above the rider. | yes
    # a sign at the end proves nothing
    The mill was built by monks. | The harbour was deepened by engineers: | no
    The mill was built by monks. | Was the harbour deepened by engineers? | no
    # coverage, places, other subjects
    The mill was built by monks. It burned down in 1820. | The mill burned down in 1820. | yes
    The mill was built by monks. | The harbour was deepened by engineers. | no
     | Anything at all. | no
    # French
    Onze personnes sont mortes dans la crue. | La crue a fait 11 morts. | yes
    La fête a accueilli 18 400 visiteurs. | La fête a accueilli 18.400 visiteurs. | no
    La fête a accueilli 18 400 visiteurs. | 18 400 visiteurs sont venus à la fête. | yes
    Le mur mesure 6,71 m. | Le mur mesure 671 cm. | yes
    Le pont a ouvert le 1er mars 2022. | Le pont a été ouvert le 1 mars 2022. | yes
    La cause n'est pas connue. | On ignore la cause. | yes
    Le traité a été signé par tous les États. | Le traité n'a pas été signé par tous les États. | no
    L'affluence est passée de 4 840 à 5 395 personnes. | L'affluence fut de 5 395 personnes. | yes
    L'élection a été remportée par Élise Marchand. | Elise Marchand a remporté l'élection. | yes
    # one language and the other: values and names decide
    La fête de 2022 a accueilli 18 400 visiteurs, selon le comité. | The festival of 2022 was visited by 18,400 people. | yes
    La fête de 2022 a accueilli 18 400 visiteurs, selon le comité. | The festival of 2022 was visited by 21,000 people. | no
    Le pont de la Sauvrine a été construit par Tilda Osrane. | The bridge was built by Tilda Osrane. | yes
    """
)


@pytest.mark.parametrize(("premise", "hypothesis", "expected"), ENTAILS)
def test_entails(premise: str, hypothesis: str, expected: str) -> None:
    assert entails(premise, hypothesis) == expected


def test_entails_reads_several_sources_together() -> None:
    one, two = Source("d1", "The wall was built in 1931."), Source("d2", "It cost 5,200 crowns.")
    assert value(Entails((one, two), "The wall of 1931 cost 5,200 crowns.")) == "yes"
    assert value(Entails((one,), "The wall of 1931 cost 5,200 crowns.")) == "no"


def test_entails_joins_facts_that_lie_apart() -> None:
    filler = "The weather was mild and the market was full of people. " * 5
    first = "The bridge over the river is 412.5 m long. "
    second = "The eastern ramp of the bridge was extended in the spring of 1987. "
    hypothesis = "The bridge is 412.5 m long since its eastern ramp was extended in 1987."
    assert entails(first + filler + second, hypothesis) == "yes"
    one, two = Source("d1", first + filler), Source("d2", filler + second)
    assert value(Entails((one, two), hypothesis)) == "yes"
    assert value(Entails((one,), hypothesis)) == "no"


def test_entails_finds_the_place_in_a_long_document() -> None:
    filler = "The weather was mild and the market was full of people. " * 40
    text = filler + "The wall was finished in 1931 by Tilda Osrane. " + filler
    assert entails(text, "Tilda Osrane finished the wall in 1931.") == "yes"
    assert entails(text, "Tilda Osrane finished the wall in 1932.") == "no"


ANSWERS = table(
    """
    The flood cost eleven lives. | How many people died in the flood? | eleven people | yes
    The toll was later raised to eleven. | How many people died in all? | eleven people | yes
    The flood cost nine lives. | How many people died in the flood? | eleven people | no
    She took office on 1 June 2022. | When did the winner take office? | 1 June 2022 | yes
    The bridge is 412.5 m long. | How long is the bridge? | 412.5 metres | yes
    It cost 61.5 million crowns. | What did it cost? | 61,500,000 crowns | yes
    The work was led by Zornea Virdent. | Who led the work? | Zornea Virdent | yes
    The work was led by Ivos Klossib. | Who led the work? | Zornea Virdent | no
    The 2007 final drew 16,140 people. | Which are the finals of the Cup? | the 2007 final | yes
    The 2007 final drew 16,140 people. | Which are the finals of the Cup? | the 2009 final | no
    Patients felt nausea and dizziness. | What are the side effects? | nausea | yes
    Patients felt nausea and dizziness. | What are the side effects? | itching | no
    Side effects of Tolvex were nausea and itching. | Which side effects did Brumal have? | itching | no
    The 1993 final began late because of a goat. | Why did the 1986 final begin late? | because of a goat | no
    The 1993 final began late because of a goat. | Why did the 1993 final begin late? | because of a goat | yes
    The committee has 11 members. | How many people died in the flood? | 11 | no
    It is not known whether 40 patients died. | How many patients died? | 40 | no
    Attendance was about 15,000. | How many came? | 14,513 | no
     | How many came? | 14,513 | no
    La crue a fait onze morts. | Combien de morts la crue a-t-elle faits ? | 11 morts | yes
    Le pont a coûté 5,2 millions de couronnes. | Combien le pont a-t-il coûté ? | 5 200 000 couronnes | yes
    La course a été gagnée par Anselme Crozenec. | Qui a gagné la course ? | Sabelin Crozenec | no
    Le train est parti le 2 juin 2024. | When did the train leave? | 2 June 2024 | yes
    """
)


@pytest.mark.parametrize(("sentence", "question", "answer", "expected"), ANSWERS)
def test_answers(sentence: str, question: str, answer: str, expected: str) -> None:
    assert value(Answers(sentence, question, answer)) == expected


RELEVANT = table(
    """
    The town was rebuilt. The bridge is 412.5 m long. Trains run daily. | How long is the bridge? | 412.5 m | yes
    The town was rebuilt. The bridge is 64 m long. Trains run daily. | How long is the bridge? | 412.5 m | no
    A fair was held. Bettine Oshcroft won the vote. | Who won the vote? | Bettine Oshcroft | yes
    A fair was held. Ruvan Teldrake won the vote. | Who won the vote? | Bettine Oshcroft | no
    Une fête a eu lieu. 18 400 visiteurs sont venus. | Combien de visiteurs sont venus ? | 18 400 visiteurs | yes
     | Who won? | Bettine Oshcroft | no
    """
)


@pytest.mark.parametrize(("document", "question", "answer", "expected"), RELEVANT)
def test_relevant(document: str, question: str, answer: str, expected: str) -> None:
    assert value(Relevant(Source("d", document), question, answer)) == expected


SUPPORTS = table(
    """
    Seven died in Quenholt, three in Clairvesse. | seven in Quenholt and three in Clairvesse | full
    Seven died in Quenholt. | seven in Quenholt and three in Clairvesse | partial
    Nobody came to the fair. | seven in Quenholt and three in Clairvesse | no
    The wall cost 31.2 million in Quenholt. | Quenholt spent 33.9 million | no
    The fever lasted 3.4 days with the drug. | 3.4 days with the drug and 4.6 days without | partial
    Les gares sont Clairvesse et Aubrelle. | Clairvesse et Aubrelle | full
    It is not known how many died in Quenholt. | seven in Quenholt | no
     | seven in Quenholt | no
    """
)


@pytest.mark.parametrize(("passage", "nugget", "expected"), SUPPORTS)
def test_supports(passage: str, nugget: str, expected: str) -> None:
    assert value(Supports(passage, "What?", nugget)) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The bridge of Quenholt opened on 4 June 1931.", "full"),
        ("The bridge of Quenholt opened with music and fireworks over the river.", "partial"),
        ("Nobody knows what the tower was for.", "no"),
        ("", "no"),
    ],
)
def test_support_has_three_levels_and_context_is_no_evidence(sentence: str, expected: str) -> None:
    source = Source("d", "On 4 June 1931 the mayor opened the bridge of Quenholt.")
    assert value(SupportLevel((source,), sentence)) == expected
    assert value(SupportLevel((source,), sentence, "What?", sentence, sentence)) == expected


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        ("The answer should state that the bridge of Quenholt opened in June 1931.", "met"),
        ("Mentions that the mayor opened the bridge of Quenholt", "met"),
        ("States that the bridge of Quenholt opened in 1931 and cost 7.2 million.", "partly"),
        ("Names the architect Odile Brane.", "unmet"),
    ],
)
def test_a_criterion_is_compared_with_what_the_answer_says(criterion: str, expected: str) -> None:
    answer = "Quenholt lies on a river. On 4 June 1931 the mayor opened the bridge of Quenholt."
    verdict = RULES[Meets](Meets(criterion, "What of the bridge?", answer))
    assert verdict.value == expected
    assert expected == "unmet" or verdict.note in answer
    assert value(Meets(criterion, "What of the bridge?", "")) == "unmet"


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("On 4 June 1931 the mayor opened the bridge of Quenholt.", "3"),
        ("The mayor came late. Quenholt has a bridge and a mill.", "1"),
        ("The bakery sells bread.", "0"),
        ("", "0"),
    ],
)
def test_a_document_is_graded_by_what_it_has_of_the_question(text: str, grade: str) -> None:
    question = "When did the mayor open the bridge of Quenholt?"
    assert value(RelevanceGrade(Source("d", text), question)) == grade


def test_a_criterion_that_the_answer_denies_is_contradicted() -> None:
    denied = "The mayor did not open the bridge of Quenholt."
    wanted = "Says that the mayor opened the bridge of Quenholt."
    assert RULES[Meets](Meets(wanted, "?", denied)) == Verdict("contradicts", denied)


NEEDS = table(
    """
    The bridge opened in 1931. | yes
    Nine people died. | yes
    Selverin clearly works. | yes
    She became mayor in June. | yes
    The app is not available on Linux. | yes
    I cannot answer this question. | no
    The cause is not known. | no
    In summary: | no
    What happened next? | no
    Sorry. | no
     | no
    C'était la première édition depuis 2019. | yes
    Le maire a ouvert la séance. | yes
    Je ne peux pas répondre à cette question. | no
    On ignore la cause du naufrage. | no
    Voici un résumé : | no
    """
)


@pytest.mark.parametrize(("sentence", "expected"), NEEDS)
def test_needs_citation(sentence: str, expected: str) -> None:
    assert value(NeedsCitation(sentence)) == expected


FIRST = [
    ("The bridge opened in 1931.", [], "yes"),
    ("The bridge opened in 1931.", ["The mill burned down."], "yes"),
    ("The bridge opened in 1931.", ["The bridge was opened in 1931."], "no"),
    ("The bridge opened in 1931.", ["The bridge opened in 1932."], "yes"),
    ("The bridge opened in 1931.", ["The mill burned.", "In 1931 the long bridge opened."], "no"),
    ("The cause is unknown.", ["The cause of it is not known."], "no"),
    ("The cause is unknown.", ["The cause was a lamp."], "yes"),
    ("In Clairvesse, 8 million was spent.", ["In Quenholt, 8 million was spent."], "yes"),
    ("Le pont a ouvert en 1931.", ["Le pont fut ouvert en 1931."], "no"),
    ("Le pont a ouvert en 1931.", ["Le pont a coûté cher."], "yes"),
]


@pytest.mark.parametrize(("sentence", "previous", "expected"), FIRST)
def test_first_instance(sentence: str, previous: list[str], expected: str) -> None:
    assert value(FirstInstance(sentence, tuple(previous))) == expected


NEGATIVE = table(
    """
    The cause is not known. | yes
    The cause remains unknown. | yes
    How many died has never been established. | yes
    The documents do not say who paid. | yes
    No data on children exist. | yes
    Nobody has yet estimated the cost. | yes
    There is no information about the price. | yes
    It could not be determined who won. | yes
    The report gives no figure for livestock. | yes
    The vote was not close. | no
    The figures are not available. | yes
    I could not find the cost in the documents. | yes
    None of the sources provides the cost. | yes
    Information about the cost is not available in the documents. | yes
    Regarding the cost, the documents provide no details. | yes
    Refunds are not available after 30 days. | no
    No one died. | no
    The bridge has no railing. | no
    Lorries were not allowed to cross. | no
    The unknown soldier was buried here in 1920. | yes
    Le nombre de morts n'est pas connu. | yes
    On ignore combien d'anguilles ont été vendues. | yes
    Aucune information n'a été publiée. | yes
    Les documents ne précisent pas la date. | yes
    La cause reste inconnue. | yes
    Il n'y avait plus une seule anguille à vendre. | no
    Le train ne s'arrête pas à Aubrelle. | no
    Personne n'est mort. | no
    """
)


@pytest.mark.parametrize(("sentence", "expected"), NEGATIVE)
def test_negative_assertion(sentence: str, expected: str) -> None:
    assert value(NegativeAssertion(sentence)) == expected


CONFIRMS = table(
    """
    The number of drowned animals is not known. | How many animals drowned? | yes
    The cause is not known. | What caused the ferry to sink? | yes
    The sources do not say why he did not appeal. | Why did he not appeal? | yes
    The number of drowned animals is not known. | Why did he not appeal? | no
    Two hundred animals drowned. | How many animals drowned? | no
    On ignore combien d'anguilles ont été vendues. | Combien d'anguilles ont été vendues ? | yes
    On ignore la cause. | Combien d'anguilles ont été vendues ? | no
    It is not known how long Crane Bridge is. | How long is Heron Bridge? | no
    It is not known how long Heron Bridge is. | How long is Heron Bridge? | yes
    It is unknown who won the 1993 final. | Who won the 2005 final? | no
    On ignore la cote atteinte à Brivel. | Quelle cote fut atteinte à Sorlac ? | no
    """
)


@pytest.mark.parametrize(("sentence", "question", "expected"), CONFIRMS)
def test_confirms(sentence: str, question: str, expected: str) -> None:
    assert value(Confirms(sentence, question)) == expected


REFUSES = table(
    """
    I cannot answer this question from the documents. | yes
    There is not enough information to say. | yes
    I'm sorry, but the provided context does not contain the answer. | yes
    The documents do not establish the cause, so I can't answer. | yes
    Unanswerable. | yes
    The ferry sank because a valve was open. | no
    Solar panels do not provide power at night. | no
    The ferry sank on 6 August 2023 with 40 people aboard. The owner was fined 5,000 crowns. Divers came in 2024. The captain's name is not known. | no
    The law does not allow children to vote. | no
    La loi ne permet pas aux enfants de voter. | no
     | no
    Je ne peux pas répondre à cette question. | yes
    Je suis désolé, les documents ne permettent pas de répondre. | yes
    Aucune information ne figure dans les documents. | yes
    Le bac a coulé à cause d'une vanne ouverte. | no
    """
)


@pytest.mark.parametrize(("response", "expected"), REFUSES)
def test_refuses(response: str, expected: str) -> None:
    assert value(Refuses("Why did the ferry sink?", response)) == expected


def test_similar_is_token_f1() -> None:
    """'the wall is old' and 'the old mill is here': 3 of 4 and 3 of 5 words in common: 6/9."""
    assert value(Similar("the wall is old", "the old mill is here")) == pytest.approx(6 / 9)
    assert value(Similar("a b", "a b")) == 1.0
    assert value(Similar("a a b", "a")) == pytest.approx(2 / 4)
    assert value(Similar("in the 1980s", "the 1980s")) == pytest.approx(4 / 5)
    assert value(Similar("", "")) == value(Similar("a", "")) == 0.0
    assert type(value(Similar("a", "b"))) is float
    assert Lexical().identity()["similar"] == "token-f1"


ODD = ("", " ", "\n\n", "?", "0", "\ud800", "\x00", "一二三", "12.5.6.7.8", "1e999", "²³¹")
REPEATED = (
    "é¦[¦, ¦A ¦A. ¦1,234,¦not ¦12 ¦of the ¦no ¦May 1 ¦n'¦two hundred ¦never been ¦the sources do ¦–"
)
HOSTILE = (*ODD, "1" * 500, "9" * 400 + " million", *(part * 1500 for part in REPEATED.split("¦")))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_gets_declared_verdicts_in_no_long_time(text: str) -> None:
    source = Source("d", text)
    of = {
        "str": text,
        "Source": source,
        "tuple[Source, ...]": (source,),
        "tuple[str, ...]": (text,),
    }
    requests: list[JudgeRequest] = [
        Entails((source,), "It opened in 1931."),
        Entails((), text),
        *(
            kind(**{field.name: of[str(field.type)] for field in fields(kind)})
            for kind in sorted(Lexical().kinds, key=lambda kind: kind.__name__)
        ),
    ]
    for request in requests:
        said = value(request)
        if isinstance(request.verdicts, tuple):
            assert said in request.verdicts
        else:
            assert isinstance(said, request.verdicts)


def test_the_judge_answers_every_kind_and_counts() -> None:
    judge = Lexical()
    assert judge.kinds == set(KINDS.values()) - {Factual, Grounded, Prefers, Span}
    requests: list[JudgeRequest] = [
        NeedsCitation("It opened in 1931."),
        NegativeAssertion("It is not known."),
    ]

    async def collect() -> list[str | float]:
        return [reply.value async for _, reply in judge.judge(requests)]  # type: ignore[union-attr]

    assert asyncio.run(collect()) == ["yes", "yes"]
    assert (judge.counts.requests, judge.counts.failed) == (2, 0)


def test_the_same_verdicts_and_notes_whatever_the_hash_seed() -> None:
    labels = ROOT / "argue_bench" / "data" / "core" / "sample-runs" / "labels.jsonl"
    code = f"""
import hashlib, pathlib
from argue_bench.judges.recorded import read_labels
from argue_bench.judges.lexical import RULES
said = [repr(RULES[type(l.request)](l.request)) for l in read_labels(pathlib.Path({str(labels)!r}))]
print(len(said), hashlib.sha256(repr(said).encode()).hexdigest())
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            text=True,
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin:/bin"},
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(outputs) == 1
    assert int(next(iter(outputs)).split()[0]) > 250


def test_agreement_with_people_stays_where_the_docs_put_it() -> None:
    """The table in docs/judges.md, recounted: accuracy on the labels of the sample runs."""
    from argue_bench.lab.label_agreement import check_judge

    docs = (ROOT / "docs" / "judges.md").read_text(encoding="utf-8")
    found = check_judge(
        Lexical(), Path(ROOT / "argue_bench" / "data" / "core" / "sample-runs" / "labels.jsonl")
    )
    for kind, row in found.kinds.items():
        line = next(line for line in docs.splitlines() if line.startswith(f"| {kind} | {row.n} |"))
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert row.accuracy == pytest.approx(float(cells[2]), abs=0.0051), kind
        assert row.kappa == pytest.approx(float(cells[3]), abs=0.0051), kind


def judged(request: JudgeRequest) -> Said:
    async def one() -> Said:
        [reply] = [reply async for _, reply in Lexical().judge([request])]
        return reply

    return asyncio.run(one())


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("这座桥于1931年通车。", "Cjk"),
        ("Мост открыт в 1931 году.", "Cyrillic"),
        ("این پل در سال ۱۹۳۱ افتتاح شد.", "Arabic"),
    ],
)
def test_a_script_that_it_cannot_read_is_not_judged(text: str, script: str) -> None:
    expected = NotJudged(f"lexical does not read {script} script")
    assert judged(Entails((Source("d", text),), "The bridge opened in 1931.")) == expected
    assert judged(Relevant(Source("d", text), "When did it open?", "1931")) == expected
    assert judged(Answers("It opened in 1931.", text, "1931")) == expected
    # What the system wrote gets a verdict, so that no sentence of it can stop its scoring.
    assert isinstance(judged(Answers(text, "When did it open?", "1931")), Verdict)


def test_a_name_in_another_script_does_not_make_a_text_unreadable() -> None:
    source = Source("d", "The bridge, in Russian Мост, opened in 1931 — à Aubrelle, hélas.")
    assert judged(Entails((source,), "The bridge opened in 1931.")).yes


CONTRADICTS = table(
    """
    The mine closed in 1987. | The mine closed in 1988. | yes
    The mine closed in 1987. | The mine closed in 1987. | no
    The bridge is 412 m long. | The bridge is 30 years old. | no
    The council approved the plan for the harbour. | The council did not approve the plan for the harbour. | yes
    The notice period is 30 days. | It was 90 days before 2019. | no
    Notice is four weeks, and eight weeks after a year. | It is twelve weeks after that. | yes
    The mine closed in 1987. | The village has a church. | no
    The mine of Tuln closed in 1987. | The mine of Orre closed in 1988. | no
    The last ferry leaves at 22:15. | The last ferry leaves at 21:15. | yes
    Check-in opens at 15:00. | Guests can check in from 14:00. | no
    The app runs on Mac, but not on Linux. | The app is not available on Linux. | no
    """
)


@pytest.mark.parametrize(("source", "sentence", "contradicted"), CONTRADICTS)
def test_a_contradiction_is_a_denial_or_another_value(
    source: str, sentence: str, contradicted: str
) -> None:
    assert value(Contradicts((Source("d", source),), sentence)) == contradicted


@pytest.mark.parametrize(
    ("question", "sentence", "helps"),
    [
        ("When did the mine close?", "The mine closed in 1987.", True),
        ("When did the mine close?", "The village has two churches.", False),
        ("Who designed the Corrigard Bridge?", "The Corrigard Bridge is red.", True),
        ("When did the mine close?", "The documents do not say when it closed.", False),
    ],
)
def test_what_helps_shares_words_or_a_name(question: str, sentence: str, helps: bool) -> None:
    assert value(HelpsAnswer(sentence, question)) == ("yes" if helps else "no")
