#!/usr/bin/env bash
# Plays the session of Examples/NewsReader's README with three processes on one file: check-newsreader.sh BINDIR FOLDER
#
# BINDIR has the programs newsreader and kvtool, FOLDER the example. Each command of the README's console blocks is run, and
# has to print the lines below it there. The output of the two that keep running (`--live` and `&`) is read line by line
# meanwhile: nothing sleeps, everything waits for a line.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 BINDIR FOLDER" >&2; exit 64; }
bin=$(cd "$1" && pwd)
cd "$2"
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
export PATH=$bin:$PATH NEWSREADER_DB=$work/news.db KVTOOL_DB=$work/news.db

fail() {
  echo "check-newsreader: $*" >&2
  exit 1
}

# Prints the README's console block of that number.
block() {
  awk -v wanted="$1" '/^```console/ { inside = (++count == wanted); next } /^```/ { inside = 0 } inside' README.md
}
# The commands of a block that end, and the output of each.
commands() { block "$1" | sed -n 's/^\$ //p' | grep -E '^(newsreader|kvtool)' | grep -vE -- '--live|&$'; }
printed() {
  block "$1" | awk -v command="\$ $2" '/^\$ / { inside = ($0 == command); next } inside' | grep -v ' = ' || true
}
play() {
  local command
  while read -r command; do
    # Splits the command into words: the README's commands have no quotes.
    # shellcheck disable=SC2086
    diff -u <(printed "$1" "$command") <($command) > "$work/difference" ||
      fail "$command prints otherwise: $(cat "$work/difference")"
  done < <(commands "$1")
}
# await DESCRIPTOR LINE: reads up to that line.
await() {
  local line seen=''
  while read -r -t 60 -u "$1" line; do
    seen+=$line$'\n'
    [ "$line" != "$2" ] || return 0
  done
  fail "waited in vain for: $2"$'\n'"$seen"
}

play 1
exec {live}< <(exec newsreader list --live --unread)
pids+=($!)
while IFS= read -r line; do await "$live" "$line"; done < <(block 1 | grep '^[*-]')

watch=$(block 2 | sed -n 's/^\$ \(kvtool .*\) &$/\1/p')
[ -n "$watch" ] || fail 'the README watches no counters'
# shellcheck disable=SC2086
exec {counters}< <(exec $watch)
pids+=($!)
await "$counters" 'swift-weekly = 3'
play 2
while IFS= read -r line; do await "$counters" "$line"; done < <(block 2 | grep ' = ' | tail -n +2)
while IFS= read -r line; do await "$live" "$line"; done < <(block 3)
play 4

printf '%s\n' 'check-newsreader: the session of the README is as printed'
