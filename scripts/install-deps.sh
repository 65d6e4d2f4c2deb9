#!/usr/bin/env bash
# Installs Debian packages that are missing. On systems without apt-get it prints which ones are needed, and succeeds: it
# can't tell whether these systems have the equivalents.
set -euo pipefail

if [ "$(uname)" = Darwin ] || ! command -v apt-get >/dev/null; then
  needed=''
  for package in "$@"; do
    case "$(uname)/$package" in
      Darwin/libsqlite3-dev | Darwin/sqlite3 | Darwin/libedit2 | Darwin/curl) ;; # come with the system or Xcode
      *) needed+=" $package" ;;
    esac
  done
  if [ -n "$needed" ]; then
    echo "If your system lacks them, install what these packages of Debian contain:$needed" >&2
  fi
  exit 0
fi

missing=()
for package in "$@"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

run=()
[ "$(id -u)" -eq 0 ] || run=(sudo)
"${run[@]}" apt-get update -q
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
