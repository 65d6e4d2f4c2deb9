#!/usr/bin/env bash
# Runs the fuzz targets: fuzz.sh SECONDS [TARGET…]. The targets are the folders of Fuzz/Corpus. Each first replays its
# corpus, then runs for that many seconds. New inputs stay in .build-fuzz/corpus; a failing input is kept beside it, and its
# name printed.
#
# FUZZ_RUNS=n runs each target n times instead, from a fixed seed, so that the same code gives the same result.
# MERGE=1 fuzz.sh 0 [TARGET…] replaces a target's corpus in the tree by a few small inputs that reach nearly the same code.
# Inputs that failed once, finding-*, stay.
# To make initial inputs of real data: .build-fuzz/release/dflat-fuzz --target=TARGET --seeds=FOLDER
# To run one input again: .build-fuzz/release/dflat-fuzz --target=TARGET FILE
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?how many seconds for each target}
shift
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=($(ls Fuzz/Corpus)); fi

fuzz=$(scripts/build-fuzz.sh)

# Swift's own crash report would precede libFuzzer's, and the leak check reports memory that Swift's runtime keeps.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0

for target in "${targets[@]}"; do
  found=.build-fuzz/corpus/$target
  mkdir -p "$found"
  options=("--target=$target" -max_len=4096 -timeout=20 -rss_limit_mb=4096 -verbosity=1 "-artifact_prefix=.build-fuzz/corpus/$target-")
  if [ -f "Fuzz/Dictionaries/$target.dict" ]; then options+=("-dict=Fuzz/Dictionaries/$target.dict"); fi

  if [ -n "${MERGE:-}" ]; then
    merged=$(mktemp -d)
    small=$(mktemp -d)
    find "Fuzz/Corpus/$target" "$found" -type f -size -1024c -exec cp {} "$small" \;
    "$fuzz" "${options[@]}" -use_counters=0 -set_cover_merge=1 "$merged" "$small"
    find "Fuzz/Corpus/$target" -type f ! -name 'finding-*' -delete
    mv "$merged"/* "Fuzz/Corpus/$target"
    rm -rf "$merged" "$small"
    continue
  fi

  limit=("-max_total_time=$seconds")
  if [ -n "${FUZZ_RUNS:-}" ]; then limit=("-runs=$FUZZ_RUNS" -seed=1); fi
  printf '\n== %s: %s inputs again, then %s\n' "$target" "$(ls "Fuzz/Corpus/$target" | wc -l)" "${limit[*]}"
  log=.build-fuzz/corpus/$target.log
  run() {
    if ! "$fuzz" "${options[@]}" "$@" > "$log" 2>&1; then
      cat "$log"
      echo "fuzz.sh: $target failed; the input is named above" >&2
      exit 1
    fi
  }
  run -runs=0 "Fuzz/Corpus/$target"
  if [ "$seconds" -gt 0 ]; then
    run "${limit[@]}" "$found" "Fuzz/Corpus/$target"
    grep -E 'INITED|DONE' "$log"
  fi
done
