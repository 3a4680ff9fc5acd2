"""Words that make a number: digits spelled out, scales, months, units, hedges; folded."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNITS_EN = dict(
    zip(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ],
        range(20),
        strict=True,
    )
)

TENS_EN = dict(
    zip(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        range(20, 100, 10),
        strict=True,
    )
)

UNITS_FR = dict(
    zip(
        [
            "un",
            "deux",
            "trois",
            "quatre",
            "cinq",
            "six",
            "sept",
            "huit",
            "neuf",
            "dix",
            "onze",
            "douze",
            "treize",
            "quatorze",
            "quinze",
            "seize",
        ],
        range(1, 17),
        strict=True,
    )
) | {"une": 1}

TENS_FR = {"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60}

SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "millions": 1e6,
    "billion": 1e9,
    "billions": 1e9,
    "trillion": 1e12,
    "k": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "bn": 1e9,
    "cent": 1e2,
    "cents": 1e2,
    "mille": 1e3,
    "milliers": 1e3,
    "milliard": 1e9,
    "milliards": 1e9,
    "dozen": 12,
    "dozens": 12,
    "douzaine": 12,
    "hundreds": 1e2,
    "thousands": 1e3,
}

MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
        "jan feb mar apr - jun jul aug sep oct nov dec",
    )
    for number, name in enumerate(names.split(), start=1)
}

# unit: (dimension, factor to its base)
MEASURES: dict[str, tuple[str, float]] = {
    form: (dimension, factor)
    for dimension, factor, forms in (
        ("length", 1e-3, "mm millimetre millimetres millimeter millimeters"),
        ("length", 1e-2, "cm centimetre centimetres centimeter centimeters"),
        ("length", 1.0, "m metre metres meter meters"),
        ("length", 1e3, "km kilometre kilometres kilometer kilometers"),
        ("mile", 1.0, "mile miles mi"),
        ("foot", 1.0, "foot feet ft pied pieds"),
        ("mass", 1e-3, "g gram grams gramme grammes"),
        ("mass", 1e-6, "mg milligram milligrams milligramme milligrammes"),
        ("mass", 1.0, "kg kilo kilos kilogram kilograms kilogramme kilogrammes"),
        ("mass", 1e3, "t tonne tonnes ton tons"),
        ("time", 1.0, "second seconds seconde secondes sec"),
        ("time", 60.0, "minute minutes min mins"),
        ("time", 3600.0, "hour hours h heure heures hr hrs"),
        ("time", 86400.0, "day days jour jours"),
        ("time", 604800.0, "week weeks semaine semaines"),
        ("months", 1.0, "month months mois"),
        ("months", 12.0, "year years an ans annee annees"),
        ("area", 1e4, "hectare hectares ha"),
        ("area", 1.0, "m2"),
        ("area", 1e6, "km2"),
        ("volume", 1.0, "litre litres liter liters"),
        ("power", 1.0, "mw megawatt megawatts"),
        ("percent", 1.0, "% percent pct pourcent"),
        ("degree", 1.0, "° degree degrees degre degres"),
        ("dollar", 1.0, "$ dollar dollars usd"),
        ("euro", 1.0, "€ euro euros eur"),
        ("pound", 1.0, "£ pound pounds gbp"),
        ("crown", 1.0, "crown crowns couronne couronnes"),
        ("franc", 1.0, "franc francs chf"),
        ("mark", 1.0, "mark marks"),
        ("florin", 1.0, "florin florins"),
    )
    for form in forms.split()
}

# Letters that are a unit only right after a number in digits, being words or scales otherwise.
SHORT_UNITS = _words(
    """
    m g t h mi ha sec min an
    """
)

HEDGES = _words(
    """
    about around some nearly almost roughly approximately over under circa more less than just
    environ quelque pres plus moins presque autour
    """
)
