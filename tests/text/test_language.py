"""The language of a text, its words and its stems."""

import pytest

from argue_bench.text.language import detect, language_name, language_of, readable, stems, words

TEXTS = """
en|When was the bridge opened? It was opened in 1931.|bridg open open 1931
de|Die Brücke wurde im Mai 1931 eröffnet.|bruck mai 1931 eroffn
fr|Le pont a été ouvert en mai 1931 par le roi.|pont ouvert mai 1931 roi
es|El puente fue inaugurado en mayo de 1931 por el rey.|puent inaugur may 1931 rey
pt|A ponte foi inaugurada em maio de 1931 pelo rei.|pont inaugur mai 1931 rei
it|Il ponte è stato aperto nel maggio 1931 dal re.|pont apert magg 1931 re
ca|El pont va ser inaugurat el maig de 1931 pel rei.|pont inaugur maig 1931 rei
ro|Podul a fost deschis în mai 1931 de către rege.|pod deschis 1931 reg
nl|De brug werd in mei 1931 geopend door de koning.|brug mei 1931 geop koon
sv|Bron öppnades i maj 1931 och den är lång.|bron oppn maj 1931 lang
da|Broen blev åbnet i maj 1931 af kongen.|broen abn maj 1931 kong
no|Broen ble åpnet i mai 1931 av kongen.|broen apn mai 1931 kong
fi|Silta avattiin vuonna 1931, mutta se ei ollut valmis.|sil avat 1931 valmis
et|Sild avati mais 1931 ja see on 300 meetrit pikk.|sild avati mais 1931 300 meetri pikk
hu|A hidat 1931 májusában nyitották meg.|hi 1931 majus nyitotta
pl|Most został otwarty w maju 1931 roku.|most otwart maj 1931 rok
cs|Most byl otevřen v květnu 1931.|most otevren kvetn 1931
lt|Tiltas buvo atidarytas gegužę ir yra ilgas.|tilt atidar geguz ilg
tr|Köprü Mayıs ayında açıldı ve çok uzundur.|kopru mayis ay acil uz
id|Jembatan itu dibuka pada Mei 1931.|jembat buka mei 1931
ga|Osclaíodh an droichead i mBealtaine agus tá sé fada.|osclaiodh droichead bealtaine fada
eu|Zubia maiatzean ireki zen eta luzea da.|zubia maia ire luzea
eo|La ponto estis malfermita en majo kaj longas.|pont malfermit maj long
ru|Мост был открыт в мае 1931 года.|мост откр ма 1931 год
sr|Мост је отворен у мају 1931. године.|most otvoren maj 1931 godin
el|Η γέφυρα άνοιξε τον Μάιο του 1931.|γεφυρ ανοιξ μαι 1931
ar|افتتح الجسر في مايو 1931 من قبل الملك.|افتتح جسر مايو 1931 ملك
fa|این پل در ماه مه افتتاح شد.|پل ماه مه افتتاح
hi|पुल मई 1931 में खोला गया था।|पुल म 1931 खोल
ne|पुल सन् 1931 मा खोलिएको थियो।|पुल सन् 1931 खोल
ta|பாலம் 1931 ஆம் ஆண்டு திறக்கப்பட்டது.|பாலம் 1931 ஆம் ஆண்டு திற
hy|Կամուրջը բացվել է 1931 թվականի մայիսին։|կամուրջ բաց 1931 թվակ մայիս
yi|די בריק איז געעפנט געווארן אין 1931.|בריק עפנ װאר 1931
st|Borokho bo ile ba buloa ka 1931 ke morena.|borokho ile bul 1931 ren
zh|这座桥于1931年开放|这座 座桥 桥于 1931 年开 开放
ja|橋は1931年に開通|橋は 1931 年に に開 開通
ko|다리는 1931년에|다리 리는 1931 년에
""".strip().splitlines()


@pytest.mark.parametrize("line", TEXTS)
def test_the_language_of_a_text_and_its_stems(line: str) -> None:
    language, text, expected = line.split("|")
    assert (detect(text), " ".join(stems(text, language))) == (language, expected)
    assert readable(language)


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("สะพานเปิดในปี 1931", "th", "Thai"),
        ("ድልድዩ በ1931 ተከፈተ።", "am", "Amharic"),
        ("Міст був відкритий у травні 1931 року.", "uk", "Ukrainian"),
        ("Cây cầu được khánh thành vào năm 1931.", "vi", "Vietnamese"),
        ("ᎠᏂᎦᏙᎯ ᏧᏂᎶᏗ", "und-x-cherokee", "Cherokee script"),
    ],
)
def test_a_language_without_a_stemmer_is_named_and_not_readable(
    text: str, language: str, name: str
) -> None:
    assert (detect(text), language_name(language)) == (language, name)
    assert not readable(language)


@pytest.mark.parametrize(
    ("text", "given", "language"),
    [
        ("Oslo 1931", "und", "und"),
        ("Oslo", "ru", "ru"),
        ("", "pt-BR", "pt"),
        ("Der Weg ist in Oslo.", "en", "de"),  # "in" is English, too
        ("Le maire est dans son bureau.", "en", "fr"),
        ("She said: Wie geht es dir, and left the room with him.", "en", "en"),
        ("- American Airlines: 1930\n- Delta Air Lines: 1924\n- Air Canada: 1937", "en", "en"),
        (f"Brood zijn voor: {', '.join(map(chr, range(65, 91)))}", "en", "en"),
        ("Мост", "sr", "sr"),
        ("Мост", "en", "ru"),
        ("iPhone 15 Pro Max 发布于2023年九月", "en", "zh"),
    ],
)
def test_the_language_of_the_row_stands_unless_the_text_is_clearly_in_another(
    text: str, given: str, language: str
) -> None:
    assert language_of(text, given) == language


def test_a_number_among_characters_is_a_word_of_its_own() -> None:
    assert words("桥于1931年") == ["桥于", "1931", "年"]
