#!/usr/bin/env bash
# Installs packages from PyPI into a folder of this checkout, for the tests that compare with them: the FlatBuffers runtime, and
# graphql-core with its own tests, which only its source distribution has.
set -euo pipefail
cd "$(dirname "$0")/.."

flatbuffers=25.12.19
graphql=3.2.6
folder=.build-python
mark="$folder/installed-$flatbuffers-$graphql"
[ -f "$mark" ] && exit 0

if ! command -v python3 >/dev/null || ! python3 -m pip --version >/dev/null 2>&1; then
  if [ "$(uname)" = Darwin ]; then
    echo "Install Python 3 with pip, for the tests that compare with its FlatBuffers and GraphQL packages." >&2
    exit 1
  fi
  scripts/install-deps.sh python3 python3-pip
fi
export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1
rm -rf "$folder"
python3 -m pip install -q --no-deps --target "$folder" "flatbuffers==$flatbuffers" "graphql-core==$graphql"
python3 -m pip download -q --no-deps --no-binary graphql-core --dest "$folder/source" "graphql-core==$graphql"
tar -xzf "$folder/source/graphql_core-$graphql.tar.gz" -C "$folder/source"
mv "$folder/source/graphql_core-$graphql/tests" "$folder/graphql-core-tests"
rm -r "$folder/source"
touch "$mark"
