#!/usr/bin/env bash
# Installs Debian packages that are missing. On other systems it prints what is needed.
set -euo pipefail

if [ "$(uname)" = Darwin ]; then exit 0; fi # SQLite comes with the system

missing=()
for package in "$@"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "Install the equivalents of these packages with your system's package manager: ${missing[*]}" >&2
  exit 1
fi
run=()
[ "$(id -u)" -eq 0 ] || run=(sudo)
"${run[@]}" apt-get update -q
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
