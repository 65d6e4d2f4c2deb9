#!/usr/bin/env bash
# Plays the session of Examples/StarWarsReader's README: check-starwars.sh FOLDER SCRATCH
#
# FOLDER is a copy of the example, whose operations it changes; SCRATCH the folder of its build. Each command of the README's
# console blocks is run, and has to print the lines below it there. The list that stays is read line by line meanwhile: nothing
# sleeps, everything waits for a line.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 FOLDER SCRATCH" >&2; exit 64; }
root=$(cd "$(dirname "$0")/.." && pwd)
swift=${SWIFT:-swift}
cd "$1"
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2> /dev/null || true; rm -rf "$work"' EXIT
"$root/scripts/install-python-packages.sh"
export PATH=$2/debug:$PATH STARWARS_DB=$work/starwars.db PYTHONPATH=$root/.build-python

fail() {
  echo "check-starwars: $*" >&2
  exit 1
}
# Prints the README's console block of that number.
block() {
  awk -v wanted="$1" '/^```console/ { inside = (++count == wanted); next } /^```/ { inside = 0 } inside' README.md
}
# Runs the commands of a block that end, and compares what they print.
play() {
  local command
  while read -r command; do
    diff -u <(block "$1" | awk -v command="\$ $command" '/^\$ / { inside = ($0 == command); next } inside') \
      <(eval "$command") > "$work/difference" || fail "$command prints otherwise: $(cat "$work/difference")"
  done < <(block "$1" | sed -n 's/^\$ //p' | grep '^starwars' | grep -v -- '--live')
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
# shown DESCRIPTOR BLOCK: waits for the list of a block.
shown() {
  local line
  while IFS= read -r line; do await "$1" "$line"; done < <(block "$2" | grep -E '^([0-9] [A-Z]|--)')
}

exec {server}< <(exec python3 "$PWD/Server/server.py")
pids+=($!)
read -r -t 60 -u "$server" STARWARS_SERVER || fail 'the server does not start'
export STARWARS_SERVER
play 1
exec {live}< <(exec starwars list --live)
pids+=($!)
shown "$live" 1
play 2
shown "$live" 3

# A field more.
sed -i.old 's|home { name }|home { name } height|' Sources/StarWarsReader/GraphQL/heroes.graphql
grep -q height Sources/StarWarsReader/GraphQL/heroes.graphql || fail 'heroes.graphql has no fragment on Human'
build() { "$swift" build --scratch-path "$2" > "$work/log" 2>&1; }
! build "$@" || fail 'an operation with a field that the lock does not have builds'
grep -Eq 'Character\.fbs\.lock:1:1: error: this lock is not that of the operations; .*dflatc --accept' "$work/log" ||
  fail "the build does not ask for the lock: $(cat "$work/log")"
"$swift" package --scratch-path "$2" --allow-writing-to-package-directory dflatc --accept > "$work/log" 2>&1 ||
  fail "the lock is not written: $(cat "$work/log")"
build "$@" || fail "the example does not build: $(cat "$work/log")"
play 4
echo 'check-starwars: all is well'
