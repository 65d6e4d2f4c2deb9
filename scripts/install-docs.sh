#!/bin/sh
# Installs kvtool's manual page and completion scripts: install-docs.sh KVTOOL PREFIX
#
# kvtool itself writes both, so that they match it. DESTDIR is put before PREFIX, as usual.
set -eu

if [ $# -ne 2 ]; then
  echo "usage: $0 KVTOOL PREFIX" >&2
  exit 64
fi
kvtool=$1
share=${DESTDIR:-}$2/share

# install_output FILE ARGUMENT...: writes kvtool's output for the arguments to the file, whose folder may not exist yet.
install_output() {
  file=$1
  shift
  mkdir -p "$(dirname "$file")"
  "$kvtool" "$@" >"$file"
  chmod 644 "$file"
}

install_output "$share/man/man1/kvtool.1" generate-manual
install_output "$share/bash-completion/completions/kvtool" --generate-completion-script bash
install_output "$share/zsh/site-functions/_kvtool" --generate-completion-script zsh
install_output "$share/fish/vendor_completions.d/kvtool.fish" --generate-completion-script fish
