#!/usr/bin/env bash
# Fails if a lock's state is a function, or a tuple with one: each access would wrap the function in two more
# (Sources/DflatCore/Support/Lock.swift). Put the function into a struct.
set -euo pipefail
cd "$(dirname "$0")/.."

if grep -rnE --include='*.swift' '\b(Lock|Mutex)<\(.*->' Sources; then
  echo 'Put the functions above into structs (scripts/check-locks.sh).' >&2
  exit 1
fi
