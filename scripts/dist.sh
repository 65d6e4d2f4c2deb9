#!/usr/bin/env bash
# Packs kvtool and dflatc for this system into an archive, which is unpacked anywhere: dist.sh BINDIR OUTPUT
#
# The archive has the layout of `make install`, and the license. It needs SQLite's library, and on Linux the C library of this
# system or a newer one. The same commit and compiler give the same bytes: files are sorted, and have the commit's time.
set -euo pipefail

if [ $# -ne 2 ]; then
  echo "usage: $0 BINDIR OUTPUT" >&2
  exit 64
fi
here=$(cd "$(dirname "$0")" && pwd)
version=$("$1/kvtool" --version)
name=dflatkv-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/install.sh" "$1" "$work/$name" > /dev/null
strip "$work/$name/bin/kvtool" "$work/$name/bin/dflatc"
cp "$here/../LICENSE" "$here/../README.md" "$here/../CHANGELOG.md" "$work/$name/"

# Without a repository, as in an archive of the sources, the newest change's time stands in.
time=$(git -C "$here" log -1 --format=%ct 2> /dev/null || date -r "$here/../CHANGELOG.md" +%s)
files=(-C "$work" "$name")
if tar --version | grep -q GNU; then
  files=(--sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" --mode=u+rwX,go+rX,go-w "${files[@]}")
fi
mkdir -p "$2"
tar -cf - "${files[@]}" | gzip -9n > "$2/$name.tar.gz"
if command -v sha256sum > /dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
(cd "$2" && "${sum[@]}" "$name.tar.gz" > "$name.tar.gz.sha256")

# The archive is complete if its kvtool runs from where it was unpacked.
mkdir "$work/unpacked"
tar -xzf "$2/$name.tar.gz" -C "$work/unpacked"
tool=$work/unpacked/$name/bin/kvtool
"$tool" set works true --db "$work/app.db"
[ "$("$tool" get works --db "$work/app.db")" = true ] || { echo "$0: the packed kvtool doesn't work" >&2; exit 1; }
echo "$2/$name.tar.gz"
