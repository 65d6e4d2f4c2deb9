#!/usr/bin/env bash
# Installs the FlatBuffers runtime from PyPI into a folder of this checkout, for the tests that read and write its buffers.
set -euo pipefail
cd "$(dirname "$0")/.."

version=25.12.19
folder=.build-python
[ -f "$folder/installed-$version" ] && exit 0

if ! command -v python3 >/dev/null || ! python3 -m pip --version >/dev/null 2>&1; then
  if [ "$(uname)" = Darwin ]; then
    echo "Install Python 3 with pip, for the tests that compare with its FlatBuffers package." >&2
    exit 1
  fi
  scripts/install-deps.sh python3 python3-pip
fi
rm -rf "$folder"
PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 python3 -m pip install -q --no-deps --target "$folder" "flatbuffers==$version"
touch "$folder/installed-$version"
