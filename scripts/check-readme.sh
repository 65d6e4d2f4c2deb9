#!/usr/bin/env bash
# Checks that the README is true: check-readme.sh BINDIR
#
#   ```swift   compiled. A block that imports DflatKV is a whole program and is run; the others are run one after the
#              other, each with its own `workspace`. The block with a tools version is the programs' Package.swift; one that
#              begins with `.executableTarget(` is the target of the snippets.
#   ```text    what the whole program prints
#   ```fbs     a schema of the snippets
#   ```sh      run in a temporary home folder, with BINDIR's kvtool on the PATH; `#→ ` precedes the expected output
#   `make x`   x is a target of the Makefile; for --filter x, such tests exist
#   [a](b)     b exists; this also holds for CONTRIBUTING.md, CHANGELOG.md and docs/
#   the picture shows what its commands print now (record-session.py)
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 BINDIR" >&2; exit 64; }
bin=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
readme=$root/README.md
# For .ci/swift: the examples' modules, which this package shares, are compiled file by file.
export INCREMENTAL=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "check-readme: $*" >&2
  exit 1
}

# Writes each block to a file named for its first line, `12.swift`.
mkdir "$work/blocks"
awk -v folder="$work/blocks" '
  /^```/ && !inside { language = substr($0, 4); inside = 1; file = ""
    if (language ~ /^(swift|sh|fbs|text)$/) file = sprintf("%s/%04d.%s", folder, NR + 1, language); next }
  /^```/ { inside = 0; if (file) close(file); next }
  inside && file { print > file }' "$readme"

# Makes the programs' package: the README's own manifest, with a link to this checkout under the name that it has there.
# check-examples.sh uses the same link and scratch folder, which builds DflatKV only once.
packages=$root/.build-examples
package=$packages/Settings
rm -rf "$package"
mkdir -p "$package/Sources/Settings" "$package/Sources/Snippets"
ln -sfn "$root" "$packages/DflatKV"
# Without the caching, SwiftPM could take the other packages' plan for this one's.
build=(--package-path "$package" --scratch-path "$packages/scratch" --disable-build-manifest-caching)
for block in "$work"/blocks/*.fbs; do cp "$block" "$package/Sources/Snippets/schema$(basename "$block")"; done
target='.executableTarget(name: "Snippets", dependencies: [.product(name: "DflatKV", package: "DflatKV")])'
snippets=$package/Sources/Snippets/main.swift
printf 'import DflatKV\nimport Foundation\n' > "$snippets"
calls=''
programs=0
for block in "$work"/blocks/*.swift; do
  line=$((10#$(basename "$block" .swift)))
  if grep -q '^// swift-tools-version' "$block"; then
    cp "$block" "$package/Package.swift"
  elif grep -q '^\.executableTarget(' "$block"; then
    target=$(sed 's/name: "[A-Za-z]*", dependencies/name: "Snippets", dependencies/' "$block")
  elif grep -q '^import DflatKV' "$block"; then
    programs=$((programs + 1))
    [ $programs -eq 1 ] || fail "line $line: a second whole program; make it a snippet"
    { echo "#sourceLocation(file: \"README.md\", line: $line)"; cat "$block"; } > "$package/Sources/Settings/main.swift"
  else
    effects=throws
    if grep -q await "$block"; then effects="async throws"; fi
    # Declarations that can't be in a function precede it.
    {
      echo "#sourceLocation(file: \"README.md\", line: $line)"
      awk '/^extension / { outside = 1 } outside { print } /^}/ { outside = 0 }' "$block"
      echo "#sourceLocation(file: \"README.md\", line: $line)"
      echo "@Sendable func snippet$line(_ workspace: SQLiteWorkspace) $effects {"
      awk '/^extension / { outside = 1 } { print outside ? "" : $0 } /^}/ { outside = 0 }' "$block"
      echo '}'
    } >> "$snippets"
    calls+="try await run(snippet$line)"$'\n'
  fi
done
[ -f "$package/Package.swift" ] || fail 'no Package.swift'
cat >> "$snippets" <<'SWIFT'
#sourceLocation()
func run(_ snippet: @Sendable (SQLiteWorkspace) async throws -> Void) async throws {
  let workspace = try SQLiteWorkspace.inMemory()
  try await snippet(workspace)
  await workspace.shutdown()
}
SWIFT
printf '%s' "$calls" >> "$snippets"
printf 'package.targets.append(\n%s)\n' "$target" >> "$package/Package.swift"
cp "$root/Package.resolved" "$package/" 2>/dev/null || true

echo "Swift: $(ls "$work"/blocks/*.swift | wc -l) blocks"
# Prints the build's output only if it fails.
"${SWIFT:-swift}" build "${build[@]}" > "$work/build.log" 2>&1 || { cat "$work/build.log"; fail 'the README does not compile'; }
if grep -E 'README\.md:.*warning:' "$work/build.log"; then fail 'the README compiles with warnings'; fi
built=$("${SWIFT:-swift}" build "${build[@]}" --show-bin-path)

home=$work/home
mkdir "$home"
cd "$home"
export HOME=$home PATH=$bin:$PATH
unset KVTOOL_DB KVTOOL_NAMESPACE XDG_DATA_HOME
"$built/Settings" > "$work/printed" || fail 'the first program failed'
diff "$work"/blocks/*.text "$work/printed" || fail 'the first program prints something else (>)'
"$built/Snippets" > "$work/snippets.log" || { cat "$work/snippets.log"; fail 'a snippet failed'; }

for block in "$work"/blocks/*.sh; do
  line=$((10#$(basename "$block" .sh)))
  echo "Shell: line $line"
  bash -euo pipefail "$block" > "$work/printed" || fail "the commands from line $line failed"
  sed -n 's/.*#→ //p' "$block" > "$work/expected"
  diff "$work/expected" "$work/printed" || fail "the commands from line $line print something else (>)"
done

"$root/scripts/record-session.py" --check "$bin" || fail 'the picture shows something else than its commands print'

cd "$root"
for name in $(grep -oh '`make [a-z-]*' README.md CONTRIBUTING.md docs/*.md | cut -d' ' -f2 | sort -u); do
  grep -q "^$name:" Makefile || fail "the Makefile has no target '$name'"
done
for name in $(sed -n "s/.*--filter \\([A-Za-z]*\\).*/\\1/p" README.md CONTRIBUTING.md docs/*.md | sort -u); do
  [ -d "Tests/$name" ] || grep -rqE "(struct|class) $name\b" Tests || fail "there are no tests named '$name'"
done
for document in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md; do
  for link in $(grep -o '](\([^)#:]*\)[)#]' "$document" | sed 's/^](//; s/[)#]$//'); do
    [ -z "$link" ] || [ -e "$(dirname "$document")/$link" ] || fail "$document: there is no '$link'"
  done
done
echo 'The README is true.'
