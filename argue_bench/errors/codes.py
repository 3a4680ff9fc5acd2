"""Every error code with its meaning; ``argue-bench explain CODE`` and docs/codes.md print them."""

from __future__ import annotations

from enum import StrEnum, unique


@unique
class Code(StrEnum):
    """What is wrong with a file or record. Programs and board logs match the value, which is stable.

    Each member is written as ``"code: meaning"``.
    """

    _text: str

    def __new__(cls, entry: str) -> Code:
        value, _, text = entry.partition(": ")
        code = str.__new__(cls, value)
        code._value_ = value
        code._text = text
        return code

    @property
    def text(self) -> str:
        """The meaning in general. The message of a `Finding` gives the particular case."""
        return self._text

    ALREADY_SCORED = "already-scored: The ledger already holds a scoring of these very files."
    ANSWER_NOT_TEXT = "answer-not-text: An answer is not a text."
    ARCHIVE_THERE = "archive-there: The board has a snapshot of this day, and it never changes."
    BAD_ARGUMENT = "bad-argument: A step of the board was given a commit, branch, remote or number of the wrong form."
    BAD_NAME = "bad-name: A name is too long, misleads the eye, or holds a character that names must not hold."
    BAD_SIGNATURE = (
        "bad-signature: The signature of a file of the board is missing or does not hold."
    )
    BLANK_LINE = "blank-line: The reader skipped a blank line."
    BLANK_SENTENCE = "blank-sentence: A sentence of a report is empty."
    BOARD_FILE = "board-file: A pull request changes a file that belongs to the board."
    BUNDLE_DIGEST = "bundle-digest: The bundle, or a file of it, is not the one that intake made."
    BYTE_ORDER_MARK = "byte-order-mark: The reader skipped a byte order mark."
    CITATIONS_MIXED = "citations-mixed: A report cites in more than one form."
    CITATION_COUNT = "citation-count: A sentence has more citations than the track judges."
    CITATION_FORMAT = "citation-format: A sentence cites in a form that the track does not allow."
    CITATION_PLACE = "citation-place: A citation of a response names no place in its text."
    CITATION_SCORE = "citation-score: The score of a citation is not a number in the track's range."
    CITED_ADDRESS = "cited-address: An answer cites an address that is not fetched, or misleads."
    CONTROL_CHARACTERS = "control-characters: A text holds control characters."
    DELETED = "deleted: A pull request deletes a file; a system is withdrawn through its metadata instead."
    DOCID_ENDING = "docid-ending: A document id goes on after the track's pattern ends."
    DOCID_PATTERN = "docid-pattern: A document id does not match the track's pattern."
    DOCUMENT_ID = "document-id: A document has no id."
    DOCUMENT_TEXT = "document-text: A document has no text."
    DUPLICATE_ID = "duplicate-id: An id, or another key of a record, occurs twice."
    DUPLICATE_KEY = "duplicate-key: A JSON object holds a key twice."
    DUPLICATE_TOPICS = "duplicate-topics: A run holds two reports on one topic."
    EMPTY = "empty: A file or folder holds nothing of what is looked for."
    EMPTY_ANSWER = "empty-answer: A report has no text."
    FOREIGN_DOCUMENT = "foreign-document: A judged document is not cited by the report."
    FLAGGED = "flagged: The screening saw something in answers that honest ones rarely have."
    GIT_FAILED = (
        "git-failed: git could not be started, could not read the commit, or took too long."
    )
    GIT_REFUSED = "git-refused: The branch's history or objects are not ones that the board reads."
    HELD = "held: A submission waits until a maintainer has looked at what the screening saw."
    HEAD_MOVED = "head-moved: The pull request's head is not the reviewed commit."
    ID_NOT_TEXT = "id-not-text: An id is not a text."
    INDEX_OUT_OF_RANGE = "index-out-of-range: A citation points past the end of the references."
    JUDGE_FAILED = "judge-failed: The judge failed on some questions; no run was spent."
    KEY_MISSING = "key-missing: An object lacks a key that its form requires."
    LAPSED = "lapsed: The expired scoring had been announced, so its run counts."
    LEDGER_BROKEN = "ledger-broken: A line of the ledger is incomplete, or lacks the hash of the line before it."
    LEDGER_OTHER = (
        "ledger-other: The ledger and the signed results tell different things of a scoring."
    )
    LENGTH = "length: A report is longer than the track allows."
    LINE_TOO_LONG = "line-too-long: A line has more bytes than the reader accepts."
    LONE_SURROGATE = "lone-surrogate: A text holds half of a surrogate pair."
    MANY_SYSTEMS = "many-systems: A pull request changes the files of more than one system."
    MASS_EMPTY = "mass-empty: More than half of the questions have no answer that could be scored."
    MERGED_EARLIER = "merged-earlier: The last scored files are not merged, so the page shows the row before them."
    METADATA = "metadata: The metadata of a run lack a mandatory key."
    METADATA_BLANK = "metadata-blank: A metadata value is empty."
    METADATA_EXTRA = "metadata-extra: The metadata hold a key that the track does not know."
    METADATA_RECOMMENDED = "metadata-recommended: The metadata of a run lack a recommended key."
    METADATA_VALUE = "metadata-value: A metadata value is not what the form expects."
    MISSING_IDS = "missing-ids: Some records of the set are missing."
    MISSING_TOPICS = "missing-topics: A run lacks reports on some topics."
    MIXED_IMPORTANCE = "mixed-importance: Some nuggets carry an importance and others do not."
    MODEL_FILES = "model-files: A model's folder lacks a file, or holds one that cannot be loaded."
    MORE = "more: There are more findings than are listed."
    NARRATIVE = "narrative: A report's narrative differs from the topic's."
    NEW_TOPICS = "new-topics: A run holds reports on topics that the track did not ask for."
    NOT_A_RUN_FILE = (
        "not-a-run-file: The file is not what its place says: a run file, a store or an index."
    )
    NOT_CANONICAL = "not-canonical: A file that the board wrote is not in canonical form."
    NOT_FETCHED = "not-fetched: A file, a page or a commit could not be fetched."
    NOT_IN_COLLECTION = "not-in-collection: The collection has no document of this id."
    NOT_JSON = "not-json: A text is not JSON."
    NOT_JUDGED = "not-judged: A judgment that is needed is missing from the store or the file."
    NOT_MERGED = (
        "not-merged: A part of a result is not merged or is hidden, so the page omits its row."
    )
    NOT_UTF_8 = "not-utf-8: A text is not UTF-8."
    NOT_WRITTEN = "not-written: A file could not be written."
    NO_CITATION = "no-citation: More than a tenth of the answers cite nothing that can be read."
    NO_SUCH_FILE = "no-such-file: A file or folder does not exist."
    NUGGET_FILE = "nugget-file: A file has no nugget_bank."
    NULL_CITATIONS = "null-citations: A sentence has no list of citations."
    ODD_MODE = "odd-mode: A path of the commit is not a plain file."
    OTHER_DATA = (
        "other-data: A file was made from other data or with other settings than those at hand."
    )
    OTHER_DIGEST = "other-digest: A file has another digest than was published for it."
    OTHER_RESULT = (
        "other-result: A result or its files belong to another season, system or scoring."
    )
    OTHER_VERSION = "other-version: A file was written by another version."
    OUTSIDE_SUBMISSION = "outside-submission: A changed file lies outside the submission folders."
    OUT_OF_BUDGET = (
        "out-of-budget: The scoring cost more, or took longer, than it may; the run counts."
    )
    OVER_LIMIT = "over-limit: An answer is longer than its request or the season allows."
    PUSH_RACE = "push-race: The results branch moved each time this step tried to push."
    QUOTA = "quota: The author has used all scored runs of the period, or as many scorings failed."
    REFERENCES_DUPLICATE = "references-duplicate: A report lists a reference twice."
    REFERENCES_MAX = "references-max: A report lists more references than the track allows."
    REFERENCES_MISSING = "references-missing: A report has no references."
    REFERENCES_PRESENT = "references-present: A report has references; the track has none."
    REFERENCES_UNCITED = "references-uncited: A report lists references that it does not cite."
    REFERENCES_UNDECLARED = "references-undeclared: A report cites documents that it does not list."
    REFERENCE_INDEX = "reference-index: A citation index lies outside the references."
    RESULTS_EDITED = "results-edited: A pull request changes files that only the board writes."
    RESULTS_MOVED = "results-moved: The results branch changed while this scoring ran."
    RESULTS_REWRITTEN = "results-rewritten: The results branch lost the commit that was scored on."
    ROW_COLUMNS = "row-columns: A row has no column for the question or the answer, or one that holds no text."
    RUN_CHANGED = "run-changed: The run's name changes within one file."
    RUN_ID_LENGTH = "run-id-length: A run_id is too long."
    SCORER_FAILED = "scorer-failed: The scoring or its judge failed; the submission spent no run."
    SCORE_UNDEFINED = "score-undefined: The ranked score applies to no answer; the run counts."
    SEAL = "seal: A sealed file does not open with this key."
    SEASON_CLOSED = "season-closed: The season is over."
    SENTENCES_KEY = "sentences-key: A report gives its sentences under another key."
    STORE_IN_USE = "store-in-use: Another process has the store open."
    SYMLINK = "symlink: A path is a symbolic link."
    SYSTEM_TAKEN = "system-taken: A system's name is taken."
    TALLIES_OTHER = "tallies-other: Another release, judge or metric made the season's rows."
    TOO_DEEP = "too-deep: A JSON value is nested too deeply."
    TOO_LARGE = "too-large: A file, a text or a submission is larger than its reader accepts."
    TOO_MANY = "too-many: A folder holds more files, or a file more lines, than the reader accepts."
    TOPICS_DIFFER = "topics-differ: Two keys of a report name different topics."
    TOPIC_KEY = "topic-key: A report gives its topic under another key than the track's."
    TOPIC_MISSING = "topic-missing: A report lacks its topic."
    TWO_ANSWERS = "two-answers: A line has both responses and an answer."
    UNEXPECTED_FILE = "unexpected-file: A file does not belong in this folder, or the pull request may not touch it."
    UNKNOWN_CITATION = "unknown-citation: An answer cites a document that the set does not hold."
    UNKNOWN_ID = "unknown-id: An id names nothing of the set."
    UNLINKED_ANSWERS = "unlinked-answers: Gold answers name no document."
    UNREADABLE = "unreadable: A file could not be read."
    WRONG_MODEL = "wrong-model: The model cannot do what it is named for."
    WRONG_SHAPE = (
        "wrong-shape: A file, a line or a value is not of the form that its reader expects."
    )
    WRONG_VALUE = "wrong-value: A value is not one that the form allows."
