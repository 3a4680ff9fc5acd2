"""Typed tokens: what is the same, and what only looks so. Worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_bench.text.typed import typed_text

SAME = [
    ("$5", "it cost $5 in all"),
    ("$5", "5 US dollars"),
    ("$5", "USD 5"),
    ("C++", "I use C++ daily"),
    ("C#", "written in C#."),
    ("No.", "No."),
    ("Apple Inc.", "owned by Apple Inc."),
    ("Apple Inc.", "Apple Inc is large"),
    ("3.0", "3"),
    ("3", "3.00"),
    ("1,000", "1000"),
    ("1000", "1,000 people"),
    ("1590152", "1 590 152"),
    ("1590152", "1\u202f590\u202f152"),
    ("10,00,000", "1000000"),
    ("1e+16", "10000000000000000"),
    ("1.4 billion", "1,400,000,000 people"),
    ("920,000,000", "some 920 million"),
    ("$6.9 billions", "$6.9bn"),
    ("$350–460 million", "about $350-460 million"),
    ("5%", "5 percent"),
    ("5 km", "5km away"),
    ("9,596,961 km2", "9,596,961 square kilometres"),
    ("-5.6", "minus: −5.6 °C"),
    ("14 July 1999", "on July 14th, 1999,"),
    ("14 July 1999", "1999-07-14"),
    ("July 14", "the 14th of July 1999"),
    ("1999", "14 July 1999"),
    ("Washington, D.C.", "Washington DC"),
    ("J. R. R. Tolkien", "J.R.R. Tolkien"),
    ("JD Drew", "J. D. Drew"),
    ("São Paulo", "Sao Paulo"),
    ("São Paulo", "SA\u0303O PAULO"),
    ("ＡＢＣ１２３", "abc123"),
    ("Moon Knight", "Moon Knight’s"),
    ("Tom & Jerry", "Tom and Jerry"),
    ("Italie", "l’Italie"),
    ("co-op", "co\u2011op"),
    ("5th", "the fifth time"),
    ("March", "March"),
    ("½", "½ mile"),
    ("Mar-kun", "first, Mar-kun, they say"),
    ("Sept. 5", "on 5 September"),
    ("8.05", "8.05 million crowns"),
    ("7", "seven in Quenholt"),
    ("21", "twenty-one years"),
    ("Seven Samurai", "Seven Samurai"),
    ("2000000", "two million"),
    ("-100", "between -100 and 0"),
    ("1463000", "* **Bahrain** - 1463000"),
]
OTHER = [
    ("1.2", "12"),
    ("12", "1.2"),
    ("-100", "100"),
    ("100", "-100"),
    ("100", "1100"),
    ("5", "1985"),
    ("5", "1.5"),
    ("$5", "$5 million"),
    ("5 million", "5"),
    ("20", "twenty-one"),
    ("7", "seventh"),
    ("5", "5th"),
    ("5", "G5"),
    ("1980", "the 1980s"),
    ("2019", "12019"),
    ("3.5", "3,5"),
    ("58", "3:58"),
    ("5%", "5"),
    ("$5", "5"),
    ("$5", "€5"),
    ("5 km", "5 miles"),
    ("art", "part of it"),
    ("C", "C++"),
    ("C++", "C"),
    ("abc", "ABC_def"),
    ("Neal", "O'Neal"),
    ("s", "the king's"),
    ("a.b", "axb"),
    ("2", "½"),
    ("-72", "90-72"),
]


@pytest.mark.parametrize(("gold", "text"), SAME)
def test_found(gold: str, text: str) -> None:
    assert typed_text(text).holds(typed_text(gold))


@pytest.mark.parametrize(("gold", "text"), OTHER)
def test_not_found(gold: str, text: str) -> None:
    assert not typed_text(text).holds(typed_text(gold))


LANGUAGES = """
de|Die Stadt hat 3.500 Einwohner.|3500
de|Es waren 1.234.567 Menschen.|1234567
de|Es kostete 3,5 Mio. Euro.|3500000
de|Es kostete 3,5 Mio. Euro.|3.500.000 €
de|Sie hat 1,5 Millionen Einwohner.|1500000
de|Sie hat 1,5 Millionen Einwohner.|1,5 Mio.
de|Am 3. Mai 1931 eröffnet.|1931-05-03
de|Am 03.05.1931 eröffnet.|3. Mai 1931
de|Am 3. 5. 1931 eröffnet.|3. Mai 1931
de|Die Version 3.14 ist da.|3.14
de|Es sind 12,5 Prozent.|12,5 %
de|Es kostet 1.500,50 Euro.|1500,5
de|Rund 2 Milliarden Dollar.|2000000000
fr|Il y a 3 500 habitants.|3500
fr|Il y a 1 234 567 habitants.|1234567
fr|Il y a 1,4 million d'habitants.|1400000
fr|Le 1er mai 1931.|1931-05-01
es|El 3 de mayo de 1931.|1931-05-03
es|Son 3 mil millones de dólares.|3000000000
es|Tiene 3.500 habitantes.|3500
pt|São 2 bilhões de reais.|2000000000
pt|Em 14 de julho de 1999.|1999-07-14
it|Il 3 maggio 1931.|1931-05-03
ru|Население 1,5 млн человек.|1500000
ru|3 мая 1931 года.|1931-05-03
pl|Ma 2,5 mln mieszkańców.|2500000
zh|这座桥于1931年开放|1931
zh|这座桥于1931年5月3日开放|1931
zh|这座桥于1931年5月3日开放|1931-05-03
zh|这座桥于1931年5月3日开放|1931年5月3日
zh|人口35万人|350000
zh|全长5公里|5 km
ja|設計者は山田太郎です。|山田太郎
ja|東京タワーは1958年に完成|東京タワー
ko|이 다리는 1931년에 개통되었다.|1931
ko|서울은 수도이다.|서울
ko|인구 35만 명|350000
th|สะพานเปิดในปี 1931|1931
ar|افتتح في ١٩٣١|1931
fa|این پل در ۱۹۳۱ افتتاح شد|1931
hi|पुल १९३१ में खोला गया|1931
sv|Den har 1 500 000 invånare.|1,5 miljoner
en|It has 3,500 people.|3500
en|It grew 3.500 percent.|3.5
pl|Urodził się w Łodzi.|Łodzi
fr|Il y en a 3,5 %.|3,5 pour cent
en|It is 3,500 and 5.|3500
""".strip().splitlines()
NOT_IN_LANGUAGES = """
ja|アメリカの首都|アメリ
de|Die Stadt hat 3.500 Einwohner.|3,5
de|Es sind 35 Bäume.|3,5
zh|建于1931年|193
en|It is 3.500.|3500
en|It is 3,5 %.|3.5 %
en|in 18 400 visitors|18400
de|Am 3.5.1931|1931-03-05
""".strip().splitlines()


@pytest.mark.parametrize("line", LANGUAGES)
def test_numbers_dates_and_units_are_read_as_their_language_writes_them(line: str) -> None:
    language, text, gold = line.split("|")
    assert typed_text(text, language).holds(typed_text(gold, language))


@pytest.mark.parametrize("line", NOT_IN_LANGUAGES)
def test_what_only_looks_alike_in_a_language_is_not_found(line: str) -> None:
    language, text, gold = line.split("|")
    assert not typed_text(text, language).holds(typed_text(gold, language))


@given(st.integers(-(10**15), 10**15))
def test_an_integer_is_found_however_it_is_grouped(number: int) -> None:
    assert typed_text(f"It is {number:,} today").holds(typed_text(str(number)))


@given(st.text(max_size=60), st.sampled_from(["en", "de", "zh", "hi"]))
def test_every_text_holds_itself(text: str, language: str) -> None:
    assert typed_text(text, language).holds(typed_text(text, language))
