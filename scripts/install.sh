#!/usr/bin/env bash
# Installs kvtool with its manual page and completion scripts, and dflatc: install.sh BINDIR PREFIX
set -euo pipefail

if [ $# -ne 2 ]; then
  echo "usage: $0 BINDIR PREFIX" >&2
  exit 64
fi
kvtool=$1/kvtool prefix=$2

mkdir -p "$prefix/bin"
install -m 755 "$kvtool" "$1/dflatc" "$prefix/bin/"
# make exports a DESTDIR that is already part of PREFIX.
DESTDIR='' "$(dirname "$0")/install-docs.sh" "$kvtool" "$prefix"
echo "Installed $prefix/bin/dflatc, and $prefix/bin/kvtool, its manual page and its completions for bash, zsh and fish."
