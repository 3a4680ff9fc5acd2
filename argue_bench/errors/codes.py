"""Every error code with its meaning: ``argue-bench explain CODE`` and docs/codes.md print them."""

from __future__ import annotations

from enum import StrEnum, unique


@unique
class Code(StrEnum):
    """What is wrong with a file or record. The value is stable: programs and board logs match it."""

    text: str
    """The meaning in general; a `Finding` says what was found where."""

    def __new__(cls, value: str, text: str) -> Code:
        code = str.__new__(cls, value)
        code._value_ = value
        code.text = text
        return code

    AGGREGATOR = "aggregator", "aggregator_type is …, not 'OR' or 'AND'"
    ALREADY_SCORED = "already-scored", "this very submission was recorded meanwhile"
    ANSWERS_SHAPE = "answers-shape", "answers is not an object of texts"
    ANSWER_NOT_TEXT = "answer-not-text", "the answer is …, expected a text"
    ANSWER_TEXT = "answer-text", "the key and the answer differ"
    AUTHOR_FORM = "author-form", "the author's id is not 1 to 64 of [A-Za-z0-9_.-]"
    BAD_ASK = "bad-ask", "a field of the ask is missing, unknown or of another type"
    BAD_CONFIG = "bad-config", "this is no model configuration"
    BAD_DOCUMENTS = "bad-documents", "some documents can't be used"
    BAD_KEY = "bad-key", "this is no public Ed25519 key"
    BAD_PATTERN = "bad-pattern", "a line of a pattern file is no pattern"
    BAD_SECRET = "bad-secret", "this is no …: …"
    BAD_SEED = "bad-seed", "the seed is not at least 32 hexadecimal digits"
    BANDS_PLACE = "bands-place", "these are the bands of another season than that of their folder"
    BANDS_SEAL = "bands-seal", "…; no bands are shown"
    BANDS_SHAPE = "bands-shape", "these are no bands (…: …)"
    BLANK_IN_NAME = "blank-in-name", "… has blanks or is empty, so it cannot stand in a column"
    BLANK_LINE = "blank-line", "a blank line was skipped"
    BLANK_SENTENCE = "blank-sentence", "the sentence is empty"
    BOARD_FILE = "board-file", "this file of the board is not a participant's to change"
    BUNDLE_DIGEST = "bundle-digest", "this is not the bundle that intake made"
    BUNDLE_FILE = "bundle-file", "a file of the bundle is not what its manifest says"
    BUNDLE_MANIFEST = "bundle-manifest", "the manifest of the bundle is not canonical"
    BUNDLE_REST = "bundle-rest", "the bundle holds more than its manifest says"
    BUNDLE_SHAPE = "bundle-shape", "this is no bundle"
    BYTE_ORDER_MARK = "byte-order-mark", "a byte order mark was skipped"
    CACHE_SHAPE = "cache-shape", "this is no search that was kept"
    CAPABILITY = "capability", "a row of the table of models can't be used"
    CHAT_TEMPLATE = "chat-template", "its chat template refuses this conversation: …"
    CHECKSUM = "checksum", "the file fetched has another checksum, sha256 …"
    CITATIONS_MIXED = "citations-mixed", "the sentences cite in different forms: …"
    CITATION_COUNT = "citation-count", "… citations, at most … are judged"
    CITATION_FORMAT = "citation-format", "the sentence cites by …"
    CITATION_SCORE = "citation-score", "the score is …"
    COLLECTION_CHANGED = "collection-changed", "the file is not the one that was indexed; it held …"
    COLUMNS = "columns", "the line has … words, expected 2: run group"
    COMPRESSED = "compressed", "… files are compressed"
    CONTROL_CHARACTERS = "control-characters", "the text holds U+…"
    COPIED = "copied", "these are byte for byte the answers of …"
    CUT_SHORT = "cut-short", "… of … bytes arrived"
    DEFAULT_RESPONSE = "default-response", "default_response is …, not 'YES' or 'NO'"
    DELETED = "deleted", "an entry is withdrawn by its status, not taken away"
    DIGEST = "digest", "the files do not match the digest in set.json: …, not …"
    DOCID_ENDING = "docid-ending", "the … … goes on after the id"
    DOCID_PATTERN = "docid-pattern", "the … … is no id of the track's collection"
    DOCUMENTS = "documents", "retrieved_documents and titles are not lists of texts of one length"
    DOCUMENT_ID = "document-id", "the document has no id"
    DOCUMENT_SHAPE = "document-shape", "a document is an object"
    DOCUMENT_TEXT = "document-text", "the document … has no text"
    DUPLICATE_DOCUMENT = "duplicate-document", "topic … ranks … twice"
    DUPLICATE_ID = "duplicate-id", "… of the run … stands twice"
    DUPLICATE_KEY = "duplicate-key", "the key … stands twice"
    DUPLICATE_NUGGET = "duplicate-nugget", "the question_id … stands twice"
    DUPLICATE_REQUEST = "duplicate-request", "… stands twice"
    DUPLICATE_SCORE = (
        "duplicate-score",
        "run …, topic …, measure … stands twice, first with … at …:…",
    )
    DUPLICATE_TOPIC = "duplicate-topic", "a second report of the run … on …"
    DUPLICATE_TOPICS = "duplicate-topics", "a second report on the topic …"
    EMPTY = "empty", "the file holds no entry"
    EMPTY_ANSWER = "empty-answer", "the report says nothing"
    EMPTY_GOLD = (
        "empty-gold",
        "the gold answer is an empty list or mapping, of which no share can be found",
    )
    EXECUTABLE = "executable", "a file of the commit is a program"
    FILE_TOO_LARGE = "file-too-large", "the file has … bytes, at most … are read"
    FOREIGN_DOCUMENT = "foreign-document", "… was judged, but is not cited"
    FOREIGN_ENTRY = "foreign-entry", "this system belongs to somebody else"
    FORM_SETTINGS = "form-settings", "this is no TOML: …"
    GENERATIONS_MISSING = "generations-missing", "it names answers for …, but … is not there"
    GENERATIONS_NOT_LINKED = "generations-not-linked", "… is there, but …_generations is null"
    GENERATOR = "generator", "the season was printed by generator …, this is …"
    GITLINK = "gitlink", "a path of the commit is another repository"
    GOLD_BESIDE = "gold-beside", "gold lies open beside the topics"
    GOLD_HASH = "gold-hash", "the gold inside is not the one whose hash was published"
    GOLD_MISSING = "gold-missing", "it lacks the gold of … questions, the first …"
    HEAD_MOVED = "head-moved", "the pull request is not at the commit that was reviewed"
    HIDDEN = "hidden", "the ledger hides it"
    ID_NOT_TEXT = "id-not-text", "the id is …, expected a text"
    ID_WITH_BLANK = "id-with-blank", "TREC files can't hold the id …, which has a blank"
    IMPORTANCE = "importance", "importance is …, not 'vital' or 'okay'"
    INDEX_DAMAGED = "index-damaged", "the files of the index do not belong together"
    INDEX_OUT_OF_RANGE = "index-out-of-range", "citation … of … references names nothing"
    INDEX_VERSION = "index-version", "the index is of another version"
    INIT = "init", "git could not make a repository for the objects"
    INSTRUCTIONS = "instructions", "answers hold what reads like instructions to a judge"
    INVISIBLE_CHARACTER = (
        "invisible-character",
        "expected a text without U+…, which is not to be seen",
    )
    JUDGE_FAILED = "judge-failed", "the judge failed on some questions; no run was used"
    JUDGE_REPORT = (
        "judge-report",
        "this is no report of `judge check --injections`, or its figures do not add up",
    )
    JUDGE_REPORTS = "judge-reports", "there are … reports on judges, the first … are read"
    JUDGMENTS_SHAPE = "judgments-shape", "this is not a judged report: …"
    JUDGMENT_MISSING = "judgment-missing", "there is no readable …"
    JUDGMENT_TYPE = "judgment-type", "no judgment type is called …"
    KEY_MISSING = "key-missing", "the key 'answer' (or, in a TREC report, 'responses') is missing"
    LABELS_DISAGREE = "labels-disagree", "the same ask has the verdict … on line … and … here"
    LAPSED = "lapsed", "its score was told, so the run counts all the same"
    LEDGER_BYTES = "ledger-bytes", "these are not the canonical bytes of its values"
    LEDGER_CHAIN = (
        "ledger-chain",
        "it does not follow the line before it: something was changed or taken out",
    )
    LEDGER_CUT = "ledger-cut", "the last line has no end"
    LEDGER_OTHER = (
        "ledger-other",
        "it is not of the last scoring in the ledger: another author, commit or time",
    )
    LEDGER_SILENT = "ledger-silent", "the ledger knows of no scoring of it"
    LEDGER_VALUE = "ledger-value", "an event of the ledger is not of the form that steps write"
    LEFT_OUT_SHAPE = "left-out-shape", "this is no list of findings"
    LENGTH = "length", "the report has … …, at most … are allowed"
    LINE_TOO_LONG = "line-too-long", "the line is too long"
    LINK_LEAVES_FOLDER = "link-leaves-folder", "… is '…', which leads out of …-generations"
    LINK_NAME = "link-name", "… is '…', which leads out of …-generations"
    LONE_SURROGATE = "lone-surrogate", "a text holds half a surrogate pair, which is no character"
    LOOK_ALIKE = "look-alike", "the … '…' looks like '…' of …"
    MANY_BASES = "many-bases", "the branch has … points of departure from the board's"
    MANY_SYSTEMS = "many-systems", "files of … systems are new or changed"
    MERGED_EARLIER = (
        "merged-earlier",
        "what was scored last is not merged: the row is that of the scoring before it",
    )
    MERGED_OTHER = (
        "merged-other",
        "left out: main has other files than those that were scored; by SHA-256, …",
    )
    MERGES_ITSELF = "merges-itself", "a store can't be merged into itself"
    MESSAGES = "messages", "messages are not three or more with a text each"
    METADATA = "metadata", "the metadata lack a mandatory key"
    METADATA_BLANK = "metadata-blank", "the topic is empty"
    METADATA_CHOICE = "metadata-choice", "expected one of …"
    METADATA_DATE = "metadata-date", "expected a day such as 2027-01-31"
    METADATA_EMPTY = "metadata-empty", "expected a text that is not empty"
    METADATA_EXTRA = "metadata-extra", "the track has no key …"
    METADATA_KEY_MISSING = "metadata-key-missing", "a key that every system declares is missing"
    METADATA_KEY_UNKNOWN = "metadata-key-unknown", "the key '…' is not known"
    METADATA_LENGTH = "metadata-length", "expected at most … characters, not …"
    METADATA_MARKUP = (
        "metadata-markup",
        "expected a name without marks of HTML or Markdown (< > ` ]( )",
    )
    METADATA_MISSING = "metadata-missing", "there are answers of this system, but no metadata"
    METADATA_NUMBER = "metadata-number", "expected … from 0 to …"
    METADATA_RECOMMENDED = "metadata-recommended", "the metadata lack a recommended key"
    METADATA_SHAPE = "metadata-shape", "this is no JSON object"
    METADATA_TYPE = "metadata-type", "expected true or false"
    METADATA_URL = (
        "metadata-url",
        "expected an https:// address without user name, blanks or quotes",
    )
    METADATA_VALUE = "metadata-value", "… is …"
    MISSING_IDS = "missing-ids", "… of … questions have no answer: …"
    MISSING_RUN = "missing-run", "the … lacks … runs that the other side has: … (… against …)"
    MISSING_TOPIC = "missing-topic", "the …'s run … lacks … on …"
    MISSING_TOPICS = "missing-topics", "no report… on …: …"
    MIXED_IMPORTANCE = (
        "mixed-importance",
        "some nuggets are labelled vital or okay and some are not",
    )
    MORE = "more", "and … more findings"
    MORE_FINDINGS = "more-findings", "… findings more are not listed"
    NAME_IS_A_PATH = "name-is-a-path", "the run … cannot be the name of a file"
    NAME_MIXES_SCRIPTS = "name-mixes-scripts", "the name '…' mixes scripts whose letters look alike"
    NARRATIVE = "narrative", "the narrative is not an exact copy of the topic's"
    NEW_TOPICS = "new-topics", "reports… on … that nobody asked for: …"
    NOT_ALCE = "not-alce", "a result file is one of ALCE's sets, not of …"
    NOT_AN_INDEX = "not-an-index", "this is something else than an index"
    NOT_AN_OBJECT = "not-an-object", "this is no JSON object"
    NOT_AS_PRINTED = "not-as-printed", "this line is not what the seed prints"
    NOT_A_FILE = "not-a-file", "this is a folder"
    NOT_A_FOLDER = "not-a-folder", "a model is a folder, and this is a file"
    NOT_A_LABEL = "not-a-label", "this is not a label"
    NOT_A_NAME = "not-a-name", "… is …, expected a text"
    NOT_A_NUMBER = "not-a-number", "the value is …, expected a finite number"
    NOT_A_PRICE = "not-a-price", "this is not a price"
    NOT_A_RUN_FILE = "not-a-run-file", "this is not a run file"
    NOT_A_SEALED_SEASON = "not-a-sealed-season", "the season has no sealed gold"
    NOT_A_STORE = "not-a-store", "this is not a whole store: …"
    NOT_A_TABLE = "not-a-table", 'there is no {"models": [...]}'
    NOT_BLEURT = "not-bleurt", "this is a … model with … outputs, not a BLEURT checkpoint"
    NOT_CHECKED = "not-checked", "signatures were not checked: …"
    NOT_FANOUTQA = "not-fanoutqa", "here is no submission of FanOutQA's"
    NOT_FETCHED = "not-fetched", "the file could not be fetched: …"
    NOT_GROUPS = "not-groups", "expected one JSON object of run to group"
    NOT_HERE = "not-here", "rageval published this run as split … of alce_… in golaxy/rag-bench"
    NOT_IN_COLLECTION = "not-in-collection", "no document has the id …"
    NOT_JSON = "not-json", "this is not JSON: … at …"
    NOT_JUDGED = "not-judged", "… needs … verdicts on … … that nobody gave (…)"
    NOT_LOADED = "not-loaded", "the model could not be loaded: …"
    NOT_MERGED = "not-merged", "left out: its metadata are not merged"
    NOT_NLI = "not-nli", "this is a …, which says nothing on entailment"
    NOT_PRINTED = "not-printed", "the world can't be printed again: …"
    NOT_PUSHED = "not-pushed", "the remote did not take the branch"
    NOT_QA = "not-qa", "this is a …, which marks no spans"
    NOT_RESULTS = "not-results", "this is not a results file of a board"
    NOT_SCORED = "not-scored", "the preview could not be scored"
    NOT_SEALED = "not-sealed", "this is no sealed file"
    NOT_SHORTENED = "not-shortened", "a document could not be shortened: …"
    NOT_UTF_8 = "not-utf-8", "the line is not UTF-8"
    NOT_WRITTEN = "not-written", "…"
    NO_ABOUT = "no-about", "this does not say how answers were made"
    NO_AGGREGATE = "no-aggregate", "no aggregate of … is given"
    NO_ASKS = "no-asks", "the store holds no ask to label"
    NO_CHAT_TEMPLATE = (
        "no-chat-template",
        "the model has no chat template: it was not trained to converse",
    )
    NO_COLLECTION = "no-collection", "there is no such file or folder"
    NO_CONFIG = "no-config", "the folder holds no model: it has no config.json"
    NO_DOCUMENTS = "no-documents", "the folder holds no documents"
    NO_ENTAILMENT_LABEL = "no-entailment-label", "none of its labels means entailment: …"
    NO_GENERATIONS = "no-generations", "no answers belong to these metadata"
    NO_GIT = "no-git", "git can't be started here"
    NO_GOLD = "no-gold", "the set has no gold.jsonl to seal"
    NO_GROUPS = "no-groups", "there is no group in it"
    NO_JUDGMENTS = "no-judgments", "the file holds no judged report"
    NO_LABELS = "no-labels", "the file holds no label"
    NO_MODEL = "no-model", "the model can't be read: …"
    NO_NUGGETS = "no-nuggets", "the folder holds no nugget file"
    NO_OUTPUT = "no-output", "the entry has no output"
    NO_PADDING = "no-padding", "its tokenizer has neither a padding nor an end token"
    NO_PATTERNS = "no-patterns", "it holds no pattern"
    NO_REPORTS = "no-reports", "there is no report on any topic of the nuggets"
    NO_REQUESTS = "no-requests", "the folder holds no requests"
    NO_SCORES = "no-scores", "there is no score in it"
    NO_SET = "no-set", "the set of … can't be loaded, so its reports are not shown: …"
    NO_SHARED_TOPIC = "no-shared-topic", "truth and judge have no topic in common: … against …"
    NO_STORE = "no-store", "the run file names no verdict store"
    NO_SUBMISSION = "no-submission", "the pull request changes no submission"
    NO_SUCH_FILE = "no-such-file", "here is no season"
    NO_SUCH_FOLDER = "no-such-folder", "there is no such folder"
    NO_SUCH_INDEX = "no-such-index", "there is no index here"
    NO_SUCH_JUDGE = "no-such-judge", "the store has no verdicts of …"
    NO_SUCH_MODEL = "no-such-model", "there is no model folder of this name"
    NO_SUCH_PAGE = "no-such-page", "the source has no page of this name"
    NO_TEMPLATES = "no-templates", "the folder holds no KIND.toml"
    NO_TOKENIZER = "no-tokenizer", "the folder has no tokenizer (none of …)"
    NO_TOPICS = "no-topics", "… is given as an aggregate alone, without topics to recompute it from"
    NO_VERDICT = "no-verdict", "the label has no verdict"
    NO_WEIGHTS = "no-weights", "the model folder has no weights (*.safetensors or *.bin)"
    NUGGET_FILE = "nugget-file", "this is not a nugget file: it has no nugget_bank"
    NUGGET_QUESTION = "nugget-question", "the key and the question differ"
    NUGGET_SHAPE = "nugget-shape", "a nugget is not an object"
    NULL_CITATIONS = "null-citations", "the sentence has no list of citations"
    OBJECTS = "objects", "git could not read the objects of the commit"
    OBJECT_REFUSED = "object-refused", "git's own check refuses an object of the branch"
    ODD_MODE = "odd-mode", "this is no plain file"
    OTHER_DATA = "other-data", "the run file was made on …, not …"
    OTHER_DOCUMENTS = "other-documents", "the documents are not those of the data set"
    OTHER_INDEX = "other-index", "this is an index of …, not …"
    OTHER_RUN = "other-run", "these answers were begun otherwise (…)"
    OTHER_SET = "other-set", "the run is of …, and this set is …"
    OTHER_SPLIT = "other-split", "the answers were read as answers to …"
    OTHER_STORE = "other-store", "has an answer to …, to which … has no reply"
    OUTCOME_BYTES = "outcome-bytes", "these are not the canonical bytes of its values"
    OUTCOME_SEAL = "outcome-seal", "the outcome is not signed by the board"
    OUTCOME_SHAPE = (
        "outcome-shape",
        "this is no outcome of a step; expected an object with the keys …",
    )
    OUTCOME_VALUE = "outcome-value", "… is …; expected …"
    OUTSIDE_SUBMISSION = "outside-submission", "this is no part of a submission"
    OWNER_UNKNOWN = "owner-unknown", "the board has this system, and does not know whose it is"
    PAGE_PATH = "page-path", "… leads out of the site"
    PAGE_UNREADABLE = "page-unreadable", "… can't be read: …"
    PATTERNS_HASH = "patterns-hash", "the patterns are not those whose hash was published"
    PATTERNS_MISSING = "patterns-missing", "the season has private patterns, and none were given"
    PATTERNS_UNKNOWN = "patterns-unknown", "the season has no private patterns"
    PROMPTS_SHAPE = "prompts-shape", "this is not an object of judgment types"
    PROMPT_FILE = "prompt-file", "a file of ALCE's prompts is not of its form"
    PROMPT_KEY = "prompt-key", "unknown keys: …"
    PROMPT_SHAPE = "prompt-shape", "there is no user_prompt"
    PROMPT_TEMPLATE = "prompt-template", "a form needs user.j2, and it is missing or empty"
    PR_NUMBER = "pr-number", "the number of the pull request is none"
    PUSH_RACE = "push-race", "the branch moved … times while this was recorded"
    QA_PAIRS_MISSING = (
        "qa-pairs-missing",
        "the entries before this one have qa_pairs, this one and … more do not",
    )
    QRELS_LINE = "qrels-line", "this is not a line TOPIC 0 DOC REL"
    QUEUE_SHAPE = "queue-shape", "this is no list of objects"
    QUEUE_VALUE = "queue-value", "entry … has not number, author, createdAt, headRefOid and labels"
    QUOTA = "quota", "… of … scored runs… are used up"
    REDIRECT = "redirect", "the server sends on to …, which is not HTTPS"
    REFERENCES = "references", "references is not a list of {doc_id}"
    REFERENCES_DUPLICATE = "references-duplicate", "listed twice: …"
    REFERENCES_MAX = "references-max", "… references, at most … are allowed"
    REFERENCES_MISSING = "references-missing", "the references are missing"
    REFERENCES_PRESENT = "references-present", "the track has no references"
    REFERENCES_UNCITED = "references-uncited", "listed and not cited: …"
    REFERENCES_UNDECLARED = "references-undeclared", "cited and not listed: …"
    REFERENCE_INDEX = "reference-index", "index … of … references"
    REF_FORM = "ref-form", "the name of the branch is not a plain one"
    REMOTE = "remote", "the remote is not https://HOST/PATH or file:///PATH"
    REPORT_DIFFERS = "report-differs", "topic …, run …: …"
    REQUEST_LIMIT = "request-limit", "limit is …, not a whole number"
    REQUEST_SHAPE = "request-shape", "a request has no request_id"
    RESCORE_OTHER = "rescore-other", "no signed result of this system was scored from these files"
    RESULTS_EDITED = "results-edited", "results are not a participant's to change"
    RESULTS_MOVED = "results-moved", "what this score rests on was changed meanwhile"
    RESULTS_REWRITTEN = "results-rewritten", "the results branch does not hold what was scored upon"
    RESULT_BYTES = "result-bytes", "these are not the canonical bytes of its values"
    RESULT_DIGEST = "result-digest", "a file is not the one that was signed"
    RESULT_OTHER = "result-other", "the result is not that of the outcome"
    RESULT_PLACE = "result-place", "it is of …/…, which is not where it lies"
    RESULT_SCORE = "result-score", "a score is not an object of numbers"
    RESULT_SEAL = "result-seal", "its signature does not hold: …; the result was left out"
    RESULT_SHAPE = "result-shape", "this is no results file; …"
    RESULT_VALUE = "result-value", "… is …; expected …"
    ROW_SHAPE = "row-shape", "the row is no object"
    RUN_CHANGED = "run-changed", "the run is … of …, unlike before"
    RUN_FORMAT = "run-format", "the run file has format …, this version reads …"
    RUN_ID_LENGTH = "run-id-length", "the run_id has … characters, at most … are allowed"
    RUN_LINE = "run-line", "this is not a line TOPIC Q0 DOCUMENT RANK SCORE NAME"
    RUN_OTHER = "run-other", "its … is not the one of the result; it was left out"
    SAME_ANSWERS = "same-answers", "these are byte for byte the answers of …"
    SCORER_FAILED = "scorer-failed", "the scoring did not end"
    SCORES_LINE = "scores-line", "this is not a line of scores"
    SCORE_UNDEFINED = "score-undefined", "the ranked score applies to no answer; the run counts"
    SEAL = "seal", "the sealed gold does not open"
    SEAL_HASH = (
        "seal-hash",
        "the sealed file is not the one that … names: it was edited, cut or exchanged",
    )
    SEAL_TRUNCATED = "seal-truncated", "the sealed file was cut short: it has … bytes"
    SEASON_CLOSED = "season-closed", "the season is over"
    SEASON_KEY_MISSING = "season-key-missing", "the key … is missing"
    SEASON_SHAPE = "season-shape", "season.json is no object"
    SEASON_VALUE = "season-value", "… is …; expected …"
    SEED_HASH = "seed-hash", "the seed is not the one whose hash was published"
    SENTENCES_KEY = "sentences-key", "the sentences stand in …, the track wants …"
    SETTING = "setting", "the season has no setting …"
    SET_DIGEST = "set-digest", "the set has the digest …, promised was …"
    SET_KEY_MISSING = "set-key-missing", "set.json lacks …"
    SET_NAME = "set-name", "the set calls itself …, which argue-bench loads from other files"
    SET_SHAPE = "set-shape", "set.json is not an object"
    SET_SIZE = "set-size", "the set has … topics, and season.json gives the size …"
    SEVERAL_OUTPUTS = "several-outputs", "the output is a list of …, expected one text"
    SHAPE = "shape", "the line is not of the core format: …"
    SHA_FORM = "sha-form", "the … is not given by 40 hexadecimal digits"
    SLOW_TOKENIZER = "slow-tokenizer", "its tokenizer cannot be turned into a tokenizer.json"
    STORE_IN_USE = "store-in-use", "another process has this store open"
    STORE_VERSION = "store-version", "the store has version …, this argue-bench reads 1 to …"
    STUFFING = "stuffing", "answers are lists of names and numbers rather than sentences"
    SUBMISSION_TOO_LARGE = (
        "submission-too-large",
        "the files have … bytes together, at most … are read",
    )
    SUPPORTING = "supporting", "supporting_facts_titles is not a list of texts"
    SYMLINK = "symlink", "this is a link; nothing is written through it"
    SYSTEM_NAME = "system-name", "the name of the system …"
    SYSTEM_TAKEN = "system-taken", "two systems come to the same name"
    TALLIES_SEAL = "tallies-seal", "the tallies of a system do not open with this key"
    TEMPLATE = "template", "the template can't be read: …"
    TEMPLATE_KEY = "template-key", "not a text of a template: …"
    TOO_DEEP = "too-deep", "it is nested more than … levels deep"
    TOO_LARGE = "too-large", "has more than … characters"
    TOO_LONG = "too-long", "a template has at most … bytes"
    TOO_MANY_ENTRIES = "too-many-entries", "more than … files in one folder"
    TOO_MANY_FILES = "too-many-files", "more than … files lie here"
    TOO_MANY_LINES = "too-many-lines", "the file has more than … lines; the rest was not read"
    TOO_SLOW = "too-slow", "git took more than … seconds"
    TOPICS_DIFFER = "topics-differ", "… name different topics"
    TOPIC_ID = "topic-id", "query_id is …, the file's name says …"
    TOPIC_KEY = "topic-key", "the topic stands in …, the track wants ….…"
    TOPIC_MISSING = "topic-missing", "the key … is missing"
    TWO_ANSWERS = "two-answers", "there are responses and an answer; … is read"
    TWO_GROUPS = "two-groups", "the run … is in … and in …"
    TWO_LABELS = "two-labels", "… on topic … is labelled … and …"
    UNDECLARED_VERDICT = "undeclared-verdict", "… is no verdict of …"
    UNEXPECTED_FILE = "unexpected-file", "this is no … file"
    UNKNOWN_ANSWER = "unknown-answer", "… is no answer to …"
    UNKNOWN_DOCUMENT = "unknown-document", "… names the document …, which is not in the set"
    UNKNOWN_ID = "unknown-id", "no question has the id …"
    UNKNOWN_IDS = "unknown-ids", "ids are those of no question"
    UNKNOWN_KIND = "unknown-kind", "no ask is of the kind …"
    UNKNOWN_NUGGET = "unknown-nugget", "no nugget asks …"
    UNKNOWN_QUESTION = "unknown-question", "gold for …, no question of the set"
    UNKNOWN_TOPIC = "unknown-topic", "there are no nuggets for topic …"
    UNLINKED_ANSWERS = "unlinked-answers", "… answers name no document"
    UNNAMED_FORMAT = (
        "unnamed-format",
        "the format must be named: tot and ir_measures have the same four columns in another order",
    )
    UNREADABLE = "unreadable", "can't be read: …"
    UNRELATED_HISTORY = "unrelated-history", "the branch shares no commit with the board"
    VARIABLE = "variable", "a template names a variable that it does not have, or lacks one"
    VARIABLE_FOREIGN = "variable-foreign", "the templates name …"
    VARIABLE_MISSING = "variable-missing", "the templates lack …"
    WEIGHTS_MISSING = "weights-missing", "… of its weights are missing or of another shape: ……"
    WHICH_JUDGE = "which-judge", "the store holds verdicts of … judges, … of them called …"
    WIKIPEDIA_UNREACHABLE = (
        "wikipedia-unreachable",
        "… is not in the cache and could not be fetched: …",
    )
    WRONG_ANSWERS = "wrong-answers", "wrong is not a list of texts"
    WRONG_SHAPE = "wrong-shape", "this line answers no question, or one that was answered before"
