#!/usr/bin/env bash
# Fails if a suite of tests has a title (suites are known by their types, as `swift test --filter` takes them), or if a test has
# a time limit that a run of all tests on a slow computer exceeds. The limit counts from the start, and all tests start at once.
set -euo pipefail
cd "$(dirname "$0")/.."

# The title is on the next line if the attribute's line would be too long.
violations=$(grep -rnE --include='*.swift' --exclude-dir=.build '^ *@Suite\(("|$)' Tests || true)
if [[ -n $violations ]]; then
  printf '%s\n' "$violations"
  echo "A suite has a title: remove it, and write what the type's name doesn't say in a doc comment." >&2
  exit 1
fi

violations=$(grep -rnE --include='*.swift' --exclude-dir=.build '\.timeLimit\(' Tests | grep -v '\.timeLimit(\.minutes(15))' || true)
if [[ -n $violations ]]; then
  printf '%s\n' "$violations"
  echo "A time limit isn't .minutes(15): see \"Tests\" in CONTRIBUTING.md." >&2
  exit 1
fi
