#!/usr/bin/env bash
# Plays the session of Examples/Notebook's README, with two releases of the program and a third process that watches the file:
# check-notebook.sh BINDIR FOLDER
#
# BINDIR has the programs notebook and notebook-v1, FOLDER the example. Each command of the README's console blocks is run, in
# their order. It has to print the lines below it, and nothing on standard error. The output of `watch` is read line by line
# meanwhile: nothing sleeps, everything waits for a line.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 BINDIR FOLDER" >&2; exit 64; }
bin=$(cd "$1" && pwd)
readme=$(cd "$2" && pwd)/README.md
work=$(mktemp -d)
cd "$work"
watcher=''
trap '[ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true; rm -rf "$work"' EXIT
# UserDefaults are in the home folder on Linux.
export PATH=$bin:$PATH NOTEBOOK_DB=$work/notebook.db HOME=$work XDG_CONFIG_HOME=$work/.config
mkdir "$XDG_CONFIG_HOME"

fail() {
  echo "check-notebook: $*" >&2
  exit 1
}

# Runs a command of the programs; the README's other commands prepare the shell. The lines after `notebook watch` are those
# that it has to print first, and mean that it is ready.
check() {
  local command=$1 expected=$2
  case $command in
    'notebook watch'*)
      exec {live}< <(eval "exec $command" 2> "$work/watch-errors")
      watcher=$!
      await "$expected"
      ;;
    notebook*)
      eval "$command" < /dev/null > "$work/output" 2> "$work/errors" || fail "$command fails: $(cat "$work/errors")"
      [ ! -s "$work/errors" ] || fail "$command complains: $(cat "$work/errors")"
      diff -u <(printf '%s' "$expected") "$work/output" > "$work/difference" ||
        fail "$command prints otherwise: $(cat "$work/difference")"
      ;;
  esac
}
# Reads the watcher's output up to the first line, then up to the next one, and so on. What it prints before may be an
# earlier page, which it skips if several changes come at once.
await() {
  local wanted line seen=''
  while IFS= read -r wanted; do
    while true; do
      IFS= read -r -t 60 -u "$live" line || fail "waited in vain for: $wanted"$'\n'"$seen$(cat "$work/watch-errors")"
      seen+=$line$'\n'
      [ "$line" != "$wanted" ] || break
    done
  done < <(printf '%s' "$1")
}

command='' expected='' inside=false
while IFS= read -r line; do
  case $line in
    '```console') inside=true command='' expected='' ;;
    '```')
      if $inside; then
        if [ -n "$command" ]; then check "$command" "$expected"; else await "$expected"; fi
      fi
      inside=false
      ;;
    '$ '*)
      if $inside; then
        [ -z "$command" ] || check "$command" "$expected"
        command=${line#\$ } expected=''
      fi
      ;;
    *) if $inside; then expected+=$line$'\n'; fi ;;
  esac
done < "$readme"
[ -n "$watcher" ] || fail 'the README watches nothing'
kill -0 "$watcher" || fail 'the watcher has ended'
[ ! -s "$work/watch-errors" ] || fail "the watcher complains: $(cat "$work/watch-errors")"

printf '%s\n' 'check-notebook: the session of the README is as printed'
