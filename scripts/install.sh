#!/usr/bin/env bash
# Installs kvtool with its manual page and completion scripts, and dflatc: install.sh BINDIR PREFIX
#
# install.sh --check PREFIX installs nothing, and fails if the folders under PREFIX can't be written.
set -euo pipefail

if [ $# -ne 2 ]; then
  echo "usage: $0 BINDIR|--check PREFIX" >&2
  exit 64
fi

if [ "$1" = --check ]; then
  for folder in "$2/bin" "$2/share"; do
    # A missing folder is created in the nearest one that exists.
    until [ -e "$folder" ]; do folder=$(dirname "$folder"); done
    [ -d "$folder" ] && [ -w "$folder" ] && continue
    echo "You can't write to $folder. Copy the files with sudo, with 'make install SUDO=sudo', or install into your" \
      "home folder, with 'make install PREFIX=\$HOME/.local'." >&2
    exit 1
  done
  exit 0
fi
kvtool=$1/kvtool prefix=$2

mkdir -p "$prefix/bin"
install -m 755 "$kvtool" "$1/dflatc" "$prefix/bin/"
# make exports a DESTDIR that is already part of PREFIX.
DESTDIR='' "$(dirname "$0")/install-docs.sh" "$kvtool" "$prefix"
echo "Installed $prefix/bin/dflatc, and $prefix/bin/kvtool, its manual page and its completions for bash, zsh and fish."
