"""The words that the lexical judge knows: stop words, numbers, months, units, cues, kindred words.

English and French. All are folded: lower case, no accents, one kind of apostrophe.
"""

from __future__ import annotations

import re

STOP_EN = frozenset(
    [
        "a",
        "about",
        "above",
        "after",
        "again",
        "all",
        "also",
        "although",
        "am",
        "an",
        "and",
        "any",
        "are",
        "around",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "below",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "down",
        "during",
        "each",
        "either",
        "even",
        "ever",
        "for",
        "from",
        "further",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "however",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "later",
        "me",
        "more",
        "most",
        "mr",
        "mrs",
        "ms",
        "my",
        "near",
        "no",
        "nor",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "per",
        "same",
        "several",
        "shall",
        "she",
        "should",
        "since",
        "so",
        "some",
        "still",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "thus",
        "to",
        "too",
        "under",
        "until",
        "up",
        "upon",
        "us",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "within",
        "without",
        "would",
        "yet",
        "you",
        "your",
        "according",
        "reported",
        "says",
        "said",
        "say",
        "states",
        "stated",
    ]
)
STOP_FR = frozenset(
    [
        "a",
        "afin",
        "ai",
        "ainsi",
        "alors",
        "apres",
        "as",
        "au",
        "aucun",
        "aucune",
        "aussi",
        "autre",
        "autres",
        "aux",
        "avait",
        "avant",
        "avec",
        "avoir",
        "c",
        "car",
        "ce",
        "ceci",
        "cela",
        "celle",
        "celles",
        "celui",
        "ces",
        "cet",
        "cette",
        "ceux",
        "chaque",
        "comme",
        "contre",
        "d",
        "dans",
        "de",
        "depuis",
        "des",
        "deux",
        "donc",
        "dont",
        "du",
        "elle",
        "elles",
        "en",
        "encore",
        "entre",
        "est",
        "et",
        "etaient",
        "etait",
        "ete",
        "etre",
        "eu",
        "eux",
        "fait",
        "fut",
        "furent",
        "hors",
        "il",
        "ils",
        "j",
        "je",
        "jusqu",
        "jusque",
        "l",
        "la",
        "le",
        "les",
        "leur",
        "leurs",
        "lors",
        "lorsque",
        "lui",
        "m",
        "ma",
        "mais",
        "me",
        "meme",
        "mes",
        "mon",
        "n",
        "ne",
        "ni",
        "non",
        "nos",
        "notre",
        "nous",
        "on",
        "ont",
        "ou",
        "par",
        "parce",
        "pas",
        "pendant",
        "peu",
        "plus",
        "pour",
        "puis",
        "puisqu",
        "puisque",
        "qu",
        "quand",
        "que",
        "quel",
        "quelle",
        "quelles",
        "quels",
        "qui",
        "quoi",
        "s",
        "sa",
        "sans",
        "se",
        "selon",
        "sera",
        "ses",
        "si",
        "soit",
        "son",
        "sont",
        "sous",
        "sur",
        "t",
        "ta",
        "te",
        "tes",
        "toi",
        "ton",
        "tous",
        "tout",
        "toute",
        "toutes",
        "tres",
        "tu",
        "un",
        "une",
        "vers",
        "voici",
        "voila",
        "vos",
        "votre",
        "vous",
        "y",
        "etant",
        "ayant",
        "environ",
    ]
)
STOP = STOP_EN | STOP_FR
TELLS_EN = frozenset(
    [
        "the",
        "of",
        "and",
        "was",
        "were",
        "is",
        "in",
        "by",
        "with",
        "that",
        "for",
        "it",
        "from",
        "had",
        "has",
        "not",
        "which",
    ]
)
TELLS_FR = frozenset(
    [
        "le",
        "la",
        "les",
        "des",
        "du",
        "et",
        "est",
        "une",
        "dans",
        "par",
        "que",
        "qui",
        "pour",
        "au",
        "aux",
        "sur",
        "pas",
        "ont",
        "il",
    ]
)

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
    zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10),
        strict=True)
)  # fmt: skip
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
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9,
    "billions": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "cent": 1e2,
    "cents": 1e2, "mille": 1e3, "milliers": 1e3, "milliard": 1e9, "milliards": 1e9, "dozen": 12,
    "dozens": 12, "douzaine": 12, "hundreds": 1e2, "thousands": 1e3,
}  # fmt: skip

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
SHORT_UNITS = frozenset(["m", "g", "t", "h", "mi", "ha", "sec", "min", "an"])
HEDGES = frozenset(
    [
        "about",
        "around",
        "some",
        "nearly",
        "almost",
        "roughly",
        "approximately",
        "over",
        "under",
        "circa",
        "more",
        "less",
        "than",
        "just",
        "environ",
        "quelque",
        "pres",
        "plus",
        "moins",
        "presque",
        "autour",
    ]
)

TITLES = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "miss",
        "dr",
        "prof",
        "professor",
        "sir",
        "dame",
        "lady",
        "lord",
        "m",
        "mme",
        "mlle",
        "monsieur",
        "madame",
        "docteur",
        "maitre",
        "me",
        "judge",
        "captain",
        "president",
        "minister",
        "mayor",
    ]
)
GENERIC = frozenset(
    [
        "river",
        "bridge",
        "board",
        "office",
        "court",
        "council",
        "party",
        "ministry",
        "street",
        "road",
        "north",
        "south",
        "east",
        "west",
        "northern",
        "southern",
        "eastern",
        "western",
        "city",
        "town",
        "county",
        "province",
        "state",
        "university",
        "company",
        "group",
        "hospital",
        "institute",
        "department",
        "service",
        "services",
        "committee",
        "commission",
        "agency",
        "association",
        "club",
        "trust",
        "society",
        "foundation",
        "authority",
        "government",
        "the",
        "of",
        "and",
        "de",
        "la",
        "le",
        "les",
        "du",
        "des",
        "et",
        "d",
        "l",
        "riviere",
        "pont",
        "bureau",
        "cour",
        "conseil",
        "parti",
        "ministere",
        "rue",
        "route",
        "nord",
        "sud",
        "est",
        "ouest",
        "ville",
        "region",
        "universite",
        "societe",
        "groupe",
        "hopital",
        "institut",
        "comite",
        "agence",
        "union",
        "fondation",
        "autorite",
        "federation",
        "cup",
        "coupe",
        "final",
        "finale",
        "lake",
        "lac",
        "mount",
        "mont",
        "saint",
        "st",
        "port",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "lundi",
        "mardi",
        "mercredi",
        "jeudi",
        "vendredi",
        "samedi",
        "dimanche",
        "report",
        "rapport",
    ]
)

NEGATIONS = frozenset(
    [
        "not",
        "no",
        "never",
        "none",
        "nobody",
        "nothing",
        "neither",
        "nor",
        "cannot",
        "without",
        "failed",
        "fails",
        "unable",
        "refused",
        "denied",
        "n't",
        "jamais",
        "aucun",
        "aucune",
        "rien",
        "sans",
        "ni",
        "personne",
        "pas",
        "nul",
        "nulle",
    ]
)
ANTONYMS = {
    word: other
    for one, two in (
        ("rose", "fell"), ("rise", "fall"), ("increased", "decreased"), ("increase", "decrease"),
        ("accepted", "rejected"), ("won", "lost"), ("highest", "lowest"), ("largest", "smallest"),
        ("longest", "shortest"), ("approved", "rejected"), ("guilty", "innocent"),
        ("above", "below"), ("upper", "lower"), ("alive", "dead"), ("success", "failure"),
        ("augmente", "diminue"), ("hausse", "baisse"), ("accepte", "rejete"), ("gagne", "perdu"),
    )
    for word, other in ((one, two), (two, one))
}  # fmt: skip

# Said before a figure that no longer holds, or after it.
OLD_BEFORE = re.compile(
    r"\b(?:not|instead of|rather than|(?:down|up|rose|raised|fell|corrected|revised|changed|lowered)"
    r"(?: \w+)? from|replac\w+|earlier|previous(?:ly)?|first (?:given|put|reported|announced|counted|"
    r"stated|said)(?: \w+){0,2}|(?:earlier|first|early|previous|old) (?:reports?|accounts?|figures?|"
    r"estimates?|counts?|bulletins?|versions?) (?:gave|put|said|spoke|had|named|was|were)(?: \w+)?|initially(?: \w+){0,2}|originally(?: \w+){0,2}|former(?:ly)?|"
    r"et non|au lieu d|plutot qu|passe d|annonce d abord|initialement(?: \w+){0,2})"
    r"(?: (?:of|the|a|an|by|at|as|to|about|be|than|de|e|le|la|les|des|une?|figure|value|reading|"
    r"estimate|count|chiffre|valeur)){0,4} ?$"
)
OLD_AFTER = re.compile(
    r"^(?: (?!not\b|but\b|et non\b|mais\b)\w+){0,6}? (?:"
    r"(?:is|was|were|has been|have been|are) (?:now )?(?:withdrawn|wrong|mistaken|superseded|corrected"
    r"|replaced|too high|too low|out of date)"
    r"|had (?:first |at first |initially )?been (?:given|announced|reported|printed|published|stated"
    r"|named|counted|estimated)"
    r"|avait (?:d abord )?ete (?:donne|annonce|imprime|publie|indique|estime)"
    r"|a ete (?:corrige|retire|remplace)|etait (?:errone|trop))"
    r"|^(?: (?!not\b|but\b|et non\b|mais\b)\w+){0,2}? (?:as |that was |which was )?(?:first|initially"
    r"|originally|previously|earlier) (?:given|announced|reported|printed|published|stated|named"
    r"|counted)|^(?: \w+)?,? ?(?:comme )?(?:annonce|indique|publie) d abord"
)

UNKNOWN = re.compile(
    r"""\b(?:
    unknown|undisclosed|unclear|unspecified|undetermined|unestablished|unresolved|unanswered
    |(?:not|never|n t)\ (?:\w+\ ){0,3}(?:known|clear|established|determined|disclosed|published
      |stated|states?|specif\w+|mention\w*|record\w*|estimate\w*|given|give|reveal\w*|say|says|said
      |tell|found|find|identif\w+|confirm\w*|explain\w*|address\w*|provide\w*|indicate\w*
      |answer\w*|made\ public|documented|released|counted|available|describe\w*|name|named)\b
    |(?:documents?|sources?|reports?|articles?|texts?|passages?|archives?|records|it|they)\ (?:\w+\ ){0,3}
      not\ (?:\w+\ ){0,2}(?:includ\w*|contain\w*|cover\w*|go\ into)
    |cannot\ (?:\w+\ ){0,2}(?:known|said|determined|answered?|established|tell|say|find|named?
      |given|confirm\w*|conclude\w*)
    |can\ (?:therefore\ )?not\ (?:\w+\ ){0,2}(?:tell|say|find|name|answer|give|determine|confirm)
    |no\ (?:\w+\ ){0,2}(?:information|data|figures?|evidence|record|records|mention|answer|details?
      |account|estimate|explanation|reason|cause|conclusions?|source|sources|indication|document
      |documents|number|numbers|statistics|report|reports|result|results|date|name)
      (?:\ \w+){0,5}?\ (?:is|are|was|were|has|have|had|exists?|on|about|of|for|can|could|in|as|that)\b
    |no\ (?:data|information|figures?|evidence|answer|mention|conclusions?)\b
    |(?:nobody|no\ one|none\ of\ the\ \w+|neither\ \w+(?:\ nor\ \w+)?)\ (?:\w+\ ){0,3}(?:know\w*|say\w*
      |said|state\w*|estimat\w*|mention\w*|count\w*|explain\w*|record\w*|give\w*|gave|establish\w*
      |publish\w*|reveal\w*|asked|measured|found)
    |(?:remains?|remained|still|is|are)\ (?:\w+\ )?(?:open|a\ mystery|anyone\ s\ guess|uncertain)
    |(?:silent|nothing)\ (?:on|about|is\ known|is\ said|was\ said)|could\ not\ be\ \w+
    |draws?\ no\ conclusion|lacks?\ (?:any\ )?(?:information|data)|withheld|kept\ (?:secret|back)
    |inconnue?s?|indetermine\w*
    |(?:on|nul|personne|l\ on)\ (?:n\ |ne\ )?(?:\w+\ )?(?:ignore\w*|sait\ pas|sait)|ignore\w*
    |(?:ne|n)\ (?:\w+\ ){1,4}?(?:pas|jamais|aucun\w*|rien|ni|nulle)\ (?:\w+\ ){0,3}?(?:connu\w*|precis\w*
      |etabli\w*|communiqu\w*|publi\w*|indiqu\w*|mention\w*|dit|dire|divulgu\w*|recens\w*|compt\w*
      |information\w*|chiffre\w*|donnee\w*|estim\w*|determin\w*|repondre|trouv\w*|explication\w*
      |revel\w*|renseign\w*|reponse|evalu\w*|source|rendu\w*|cause)
    |(?:ne|n)\ (?:\w+\ )?(?:dit|disent|precise\w*|mention\w*|indique\w*|permet\w*|donne\w*|contien\w*
      |figure\w*|connai\w*|sait|dispose\w*|fourni\w*)(?:\ \w+){0,2}?\ (?:pas|rien|aucun\w*|nulle)
    |(?:aucune?|pas\ d\ |sans)\ ?(?:information|donnee|chiffre|reponse|mention|precision|source
      |document|indication|trace|estimation|explication|bilan)\w*
    |reste(?:nt)?\ (?:\w+\ )?(?:inconnu\w*|incertain\w*|a\ etablir|sans\ reponse|ouverte?)
    )""",
    re.VERBOSE,
)
DECLINES = re.compile(
    r"""\b(?:
    i\ (?:\w+\ ){0,2}(?:can\ ?not|can\ t|could\ not|couldn\ t|won\ t|do\ not|don\ t|am\ (?:not\ able|unable
      |sorry|afraid)|was\ (?:not\ able|unable)|(?:would\ )?rather\ not|have\ no|decline|refuse)
    |(?:sorry|apolog\w+|unable\ to|not\ able\ to|unanswerable|not\ enough|insufficient)
    |as\ an\ ai|(?:can\ ?not|can\ t|could\ not)\ be\ (?:answered|given|determined|said)
    |no\ answer|(?:question|it|this)\ (?:can\ ?not|can\ t)\ be\ answered
    |(?:do|does|did)\ (?:not|n\ t)\ (?:\w+\ ){0,3}(?:answer|allow|contain|provide|cover|address)
    |je\ (?:\w+\ ){0,3}(?:ne\ (?:peux|sais|puis|dispose|suis|trouve|connais|pourrai\w*)|regrette|refuse
      |prefere\ ne|n\ ai\ (?:pas|aucun\w*|trouve))|desole\w*|impossible\ de|aucune\ reponse|pas\ assez
    |il\ (?:\w+\ ){0,2}impossible|(?:ne|n)\ permet\w*\ pas|sans\ reponse
    )\b""",
    re.VERBOSE,
)
META = re.compile(
    r"^(?:in (?:summary|conclusion|short|brief|this report)|to (?:summari[sz]e|conclude)|overall"
    r"|this (?:report|answer|summary|section|response)|the following|below|here (?:is|are)"
    r"|as (?:noted|mentioned|described|shown) (?:above|earlier)|see |note that|let (?:me|us)"
    r"|i |we |en (?:resume|conclusion|bref)|pour (?:conclure|resumer)|ce (?:rapport|resume)"
    r"|voici|ci (?:dessous|dessus)|je |nous |les documents? |the (?:documents?|sources?) (?:are|do))"
)

KINDRED = tuple(
    frozenset(group.split())
    for group in (
        "die dies died dying dead death deaths dies killed kill kills lives toll fatalities fatality"
        " perished mort morts deces tue tues victimes peri",
        "cost costs price spend spends spent spending paid pay expense budget bill cout coute couts"
        " couter prix depense depenses depensier",
        "begin began begun begins start starts started launch launched commence debut commence"
        " debute lance lancee lancement",
        "end ended ends finish finished complete completed completion acheve achevee termine fini",
        "win wins won winner winners victory winning gagne gagnee remporte remportee vainqueur"
        " victoire emporte",
        "open opened opens opening inaugurated ouvert ouverte ouvre ouverture inaugure inauguree",
        "build built builds building builder builders construct constructed construit construite"
        " constructeur batir bati",
        "lead led leads leader leaders leading head headed chief dirige dirigee mene menee chef",
        "rise rose risen rises hausse augmente", "fall fell fallen falls baisse diminue chute",
        "find found finds trouve trouvee retrouve", "hold held holds tenu tient",
        "give gave given gives donne donnee", "take took taken takes pris prise",
        "know knew known knows connu connue sait", "see saw seen sees vu vue",
        "leave left leaves leaving evacuated evacuate evacuation evacue evacues quitter quitte",
        "go went gone goes", "come came comes", "sink sank sunk sinking coule naufrage",
        "draw drew drawn draws plans plan planned designed design designer dessine dessinee"
        " concu concue architecte architect",
        "run ran runs", "sell sold sells sale vendu vendue vente", "buy bought buys acquired acquire"
        " acquisition purchase purchased takeover rachat rachete acquis",
        "choose chose chosen elect elected election vote votes voted elu elue vote voix scrutin"
        " ballot ballots poll",
        "people persons inhabitants residents personnes habitants gens",
        "high height highest hauteur haut haute crest crested peak peaked crue",
        "long length longueur", "large size big taille grand grande", "old age aged ans age",
        "shut closed close closes closing closure ferme fermee fermeture",
        "name named names called nom nomme appele appelee baptise",
        "why reason reasons cause caused causes because due raison raisons cause",
        "injured hurt wounded injuries blesse blesses", "missing lost disparu disparus perdu",
        "homes houses dwellings households logements maisons foyers",
        "firm company companies business entreprise societe", "court tribunal judge judges juge cour",
        "sentence sentenced condemned convicted verdict ruling ruled jugement condamne peine",
        "fund funded funding funds finance financed money financement finance finances argent",
        "doctor physicians doctors medecin medecins", "patients patient participants volunteers",
        "drug medicine treatment remedy medicament traitement",
        "captain skipper commander capitaine", "coach trainer manager entraineur",
        "match game final finale rencontre", "goal goals but buts scored score marque",
        "spectators attendance crowd spectateurs affluence public audience",
        "visitors visiteurs visited attended", "ferry boat ship vessel bac bateau navire",
        "flood floods flooding inondation inondations crue", "bridge crossing pont ouvrage",
        "river stream riviere fleuve", "town city village ville", "mayor maire",
        "school schools ecole ecoles", "road route highway rue", "railway rail line train trains ligne"
        " chemin", "stations station stops call gare gares", "farm farms farmers ferme fermes",
        "year years annee annees", "day days jour jours", "month months mois",
        "rain rainfall pluie precipitations", "wall walls mur murs digue digues",
        "sick ill illness nausea malade malades nausees", "dizzy dizziness vertige vertiges",
        "children child enfants enfant", "woman women femme femmes", "man men homme hommes",
        "responsible charge maintained maintain maintains maintenance upkeep entretient entretien"
        " looks looked",
        "majority margin ahead lead majorite avance ecart", "second runner deuxieme seconde",
        "appoint appointed named nomme nommee designe", "resign resigned stepped demission",
        "announce announced announcement annonce annoncee", "last lasted lasts duration dure duree",
        "carry carried contain contained", "damage damaged damages degats endommage",
        "team crew squad equipe equipage", "reach reached atteint atteindre",
        "oldest eldest", "biggest largest greatest main principal", "fine fined amende",
        "state national etat", "half moitie", "quarter quarters quart quarts",
        "government gouvernement", "award awarded prize prix", "wife husband spouse married",
        "birth born nee ne naissance", "employ employed employees staff workers jobs salaries emplois",
    )
)  # fmt: skip
