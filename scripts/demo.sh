#!/usr/bin/env bash
# Shows two processes on one file: one subscribes, the other writes.
set -euo pipefail
bin=$1
folder=$(mktemp -d)
trap 'kill $watcher 2>/dev/null || true; rm -rf "$folder"' EXIT
export KVTOOL_DB=$folder/demo.db PATH=$bin:$PATH

say() { printf '\033[1m%s\033[0m\n' "$*"; }
run() {
  say "\$ $*"
  "$@" || echo "(exit $?)"
}

run kvtool set volume --double 0.5
say '$ kvtool subscribe --all volume &        # another process'
kvtool subscribe --all volume > "$folder/seen" &
watcher=$!
until [ -s "$folder/seen" ]; do :; done # its first line, the initial value, is there

run kvtool set volume 0.8
run kvtool incr visits
run kvtool incr visits 41
say '$ kvtool txn                             # all or none'
printf '%s\n' \
  '{"op":"expect","key":"visits","type":"int","value":42}' \
  '{"op":"set","key":"from","type":"int","value":90}' \
  '{"op":"set","key":"to","type":"int","value":110}' | kvtool txn
run kvtool get from to
run kvtool set volume --if-value 0.1 0.9
run kvtool delete volume
run kvtool keys --long
until grep -q 'volume deleted' "$folder/seen"; do :; done

say 'What the other process saw, as it happened:'
cat "$folder/seen"
