#!/usr/bin/env bash
# Plays the sessions of a document: check-session.sh DOCUMENT BINDIR…
#
# Runs the commands of its console blocks in order, in an empty folder, which is also the home folder, with the programs of the
# BINDIRs. Each has to print the lines below it, on standard output or standard error. Commands that end in `&` stay: the lines
# below them, and those of a block without commands right after, have to be among what they print from then on. `kill %1` ends
# the first of them, which has to print the lines below and succeed. Nothing sleeps: everything waits for a line. Commands that
# build or prepare the shell (swift, make, git, cd, export PATH) are left out.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: $0 DOCUMENT BINDIR…" >&2; exit 64; }
document=$(realpath "$1")
shift
for folder; do PATH=$(realpath "$folder"):$PATH; done
work=$(mktemp -d)
mkdir "$work/home"
cd "$work/home"
export PATH HOME=$work/home XDG_CONFIG_HOME=$work/config PLAYER_DB=$work/home/player.db POLL_DB=$work/home/poll.db
mkdir "$XDG_CONFIG_HOME"
unset KVTOOL_DB KVTOOL_NAMESPACE
processes=() outputs=() played=0
# A program that hangs may ignore SIGTERM.
trap 'kill -KILL "${processes[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT

fail() {
  echo "check-session: $(basename "$document"): $*" >&2
  exit 1
}

# Reads a process's output up to the first line, then up to the next one, and so on.
await() {
  local wanted line seen=''
  while IFS= read -r wanted; do
    while true; do
      IFS= read -r -t 60 -u "$1" line || fail "waited in vain for: $wanted"$'\n'"$seen"
      seen+=$line$'\n'
      [ "$line" != "$wanted" ] || break
    done
  done < <(printf '%s' "$2")
}
check() {
  local command=$1 expected=$2 status=0 live
  case $command in
    swift\ * | make\ * | git\ * | cd\ * | 'export PATH'*) [ -z "$expected" ] || fail "$command isn't played"; return ;;
    *' &')
      exec {live}< <(eval "exec ${command% &}" 2>&1)
      processes+=($!) outputs+=("$live")
      await "$live" "$expected"
      ;;
    'kill %1')
      kill "${processes[0]}"
      await "${outputs[0]}" "$expected"
      wait "${processes[0]}" || fail "the first process ends with status $?"
      ;;
    *)
      eval "$command" < /dev/null > "$work/output" 2>&1 || status=$?
      [ $status = 0 ] || grep -q '^error: \|^Error: ' "$work/output" || fail "$command: status $status: $(cat "$work/output")"
      # Some programs end their output without a newline.
      diff -u <(printf '%s' "$expected") <(sed '$a\' "$work/output") > "$work/difference" ||
        fail "$command prints otherwise: $(cat "$work/difference")"
      ;;
  esac
  played=$((played + 1))
}

command='' expected='' inside=false
while IFS= read -r line; do
  case $line in
    '```console') inside=true command='' expected='' ;;
    '```')
      if $inside; then
        if [ -n "$command" ]; then check "$command" "$expected"; else await "${outputs[-1]}" "$expected"; fi
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
done < "$document"
[ $played -gt 0 ] || fail 'has no session'
echo "check-session: $(basename "$(dirname "$document")")/$(basename "$document"): $played commands, as printed"
