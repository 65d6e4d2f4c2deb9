#!/usr/bin/env bash
# Measures the library and the baselines, and writes the tables and charts of docs/performance.md: bench.sh [OPTION…]
# The options go to the benchmarks, for example `--only read-int`; Benchmarks/README.md lists them.
set -euo pipefail
cd "$(dirname "$0")/.."

# UserDefaults writes its files there, on Linux.
XDG_CONFIG_HOME=$(mktemp -d)
export XDG_CONFIG_HOME
trap 'rm -rf "$XDG_CONFIG_HOME"' EXIT

# One of the rows runs kvtool.
swift build -c release --package-path Benchmarks --product kvtool
swift run -c release --package-path Benchmarks dflatkv-benchmarks run \
  --write Benchmarks/results.json --docs docs/performance.md --charts docs/images "$@"
