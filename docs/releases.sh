#!/usr/bin/env bash
# Build the documentation into OUT: the working tree's as `latest`, and a folder for each release (tag v1.2.3).
#
# usage: docs/releases.sh OUT
set -euo pipefail
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

build() { # FOLDER NAME
    (cd "$1" && python -m zensical build --strict)
    cp -r "$1/site/build/docs" "$out/$2"
    # For language models: the contents, and beside each page its Markdown. Early releases have none.
    if [ -e "$1/docs/llms.py" ]; then
        python "$1/docs/llms.py" > "$out/$2/llms.txt"
        (cd "$1/docs" && find . -name '*.md' -exec cp --parents {} "$out/$2" \;)
    fi
    names+=("{\"version\": \"$2\", \"title\": \"$2\", \"aliases\": []}")
}

build . latest
for tag in $(git tag --list 'v*' --sort=-version:refname); do
    tree=$(mktemp -d)
    git worktree add --quiet --detach "$tree" "$tag"
    # A release from before this site has no pages to build.
    if [ -e "$tree/mkdocs.yml" ]; then build "$tree" "${tag#v}"; fi
    git worktree remove --force "$tree"
done
if [ -e "$out/latest/llms.txt" ]; then sed 's|](|](latest/|' "$out/latest/llms.txt" > "$out/llms.txt"; fi
(IFS=,; echo "[${names[*]}]") > "$out/versions.json"
echo '<!doctype html><title>Documentation</title><meta http-equiv="refresh" content="0; url=latest/">' > "$out/index.html"
