#!/usr/bin/env bash
# Builds the packages of Examples from a clean state, runs them, and checks what the plugins promise: an unchanged schema
# isn't compiled again, a changed one changes only its own Swift file and those of roots that use it, a schema may be a
# symbolic link, an error is shown at the schema's line, a schema that its lock forbids doesn't build, and checked-in
# generated code and locks are dflatc's output for their schemas. Plays the sessions of the examples' READMEs and of the
# tutorials. Examples/Server is built and played with the tests in Tests/EtcdTests.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
swift=${SWIFT:-swift}
# For .ci/swift: modules are compiled file by file, as users do.
export INCREMENTAL=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copies the examples, as schemas are changed here. One scratch folder builds DflatKV only once, also for check-readme.sh,
# which knows DflatKV under the same path.
packages=$root/.build-examples
scratch=$packages/scratch
rm -rf "$scratch"
mkdir -p "$packages"
ln -sfn "$root" "$packages/DflatKV"
cp -R "$root/Examples" "$work/Examples"
rm -rf "$work"/Examples/*/.build
for manifest in "$work"/Examples/*/Package.swift; do
  sed "s|path: \"../..\"|path: \"$packages/DflatKV\"|" "$manifest" > "$work/manifest"
  mv "$work/manifest" "$manifest"
done
log=$work/log

fail() {
  echo "check-examples: $*" >&2
  grep -v '^\[[0-9]*/[0-9]*\]' "$log" >&2 || true
  exit 1
}
say() { printf '%s\n' "check-examples: $*"; }
build() { "$swift" build --scratch-path "$scratch" > "$log" 2>&1 || fail "$(basename "$PWD") doesn't build"; }
breaks() { ! "$swift" build --scratch-path "$scratch" > "$log" 2>&1 || fail "$1 builds"; }
dflatc() { "$swift" package --scratch-path "$scratch" --allow-writing-to-package-directory dflatc "$@" > "$log" 2>&1; }
shows() { grep -Eq -- "$1" "$log" || fail "the build doesn't show $1"; }
hides() { ! grep -Eq -- "$1" "$log" || fail "the build shows $1"; }
prints() {
  local output
  output=$("$scratch/debug/$1" 2> "$log") || fail "$1 fails"
  [ "$output" = "$2" ] || fail "$1 prints $output instead of $2"
}
# Prints the names of the generated files that were written since `mark`.
mark() { touch "$work/mark"; }
written() { find "$scratch/plugins/outputs" -name '*.fbs.swift' -newer "$work/mark" -exec basename {} \; | sort | xargs; }
writes() { [ "$(written)" = "$1" ] || fail "written: '$(written)', not '$1'"; }
# replace FILE OLD NEW: exactly one line of the file has OLD.
replace() {
  [ "$(grep -c -- "$2" "$1")" = 1 ] || fail "$1 has not one line with $2"
  sed "s|$2|$3|" "$1" > "$work/replaced"
  cp "$work/replaced" "$1"
}

cd "$work/Examples/PluginExample"
post=Sources/PluginExample/Schemas/post.fbs
author=Sources/PluginExample/People/author.fbs
design=Sources/DesignModels/design.fbs
greeting='First post by Ada in #0f0 of 0'

say 'PluginExample, from a clean state'
build
hides 'warning:'
prints PluginExample "$greeting"

say 'nothing changed'
mark
build # SwiftPM links dflatc once more, and so runs it once more
hides '(Compiling|Emitting module) (PluginExample|DesignModels|Dflat[A-Z][A-Za-z]* )'
build
hides 'Compiling the schemas'
writes ''

say 'a schema touched'
mark
touch "$author"
build
shows 'Compiling the schemas of PluginExample'
hides 'Compiling the schemas of DesignModels'
hides '(Compiling|Emitting module) PluginExample'
writes ''

say 'one schema changed'
mark
replace "$author" 'name: string (required);' 'name: string (required); town: string = "London";'
build
# Posts carry the schema of their authors.
writes 'author.fbs.swift post.fbs.swift'
prints PluginExample "$greeting"

say 'a schema of another module changed'
mark
replace "$design" 'Blue = 2' 'Blue = 4'
build
shows 'Compiling the schemas of PluginExample'
# The schema and the query fields of posts name all colors.
writes 'design.fbs.swift post.fbs.swift'
prints PluginExample "$greeting"

say 'a schema by two paths'
mark
mkdir Sources/PluginExample/Links
ln -s ../Schemas/post.fbs Sources/PluginExample/Links/post.fbs
build
hides 'warning:'
writes ''
prints PluginExample "$greeting"
rm -r Sources/PluginExample/Links
build

say 'a schema of another module that is a link'
mark
mkdir Shared
mv "$design" Shared/design.fbs
ln -s ../../Shared/design.fbs "$design"
build
hides 'warning:'
writes ''
replace Shared/design.fbs 'Blue = 4' 'Blue = 8'
build
shows 'Compiling the schemas of PluginExample'
writes 'design.fbs.swift post.fbs.swift'
prints PluginExample "$greeting"
mark
mv Shared/design.fbs "$design"
build
writes ''

say 'a folder of another module that is a link'
mark
mkdir Shared/Schemas
mv "$design" Shared/Schemas/design.fbs
ln -s ../../Shared/Schemas Sources/DesignModels/Schemas
build
hides 'warning:'
writes ''
prints PluginExample "$greeting"
rm Sources/DesignModels/Schemas
mv Shared/Schemas/design.fbs "$design"
rm -r Shared
build

say 'a schema with an error'
mark
replace "$post" '  priority: int ' '  priority: itn '
line=$(grep -n 'priority: itn' "$post" | cut -d: -f1)
breaks 'a schema with an error'
shows "/Schemas/post\.fbs:$line:13: error: .*itn"
writes ''
cp "$root/Examples/PluginExample/$post" "$post"
build
writes ''
prints PluginExample "$greeting"

say 'a schema more, and one less'
mark
printf 'include "design.fbs";\nnamespace Blog;\ntable Label { color: Design.Color; }\n' > Sources/PluginExample/Schemas/label.fbs
printf 'import DesignModels\n\nlet label = Blog.Label(color: .blue)\n' > Sources/PluginExample/Label.swift
build
writes 'label.fbs.swift'
rm Sources/PluginExample/Schemas/label.fbs Sources/PluginExample/Label.swift
build

say 'namespaces left to the target'
mark
printf '{"declareNamespaces": false}\n' > Sources/PluginExample/dflatc.json
printf 'public enum Blog {}\n' > Sources/PluginExample/Blog.swift
build
hides 'warning:'
writes 'author.fbs.swift'
prints PluginExample "$greeting"

say 'locks'
# The build doesn't compile excluded schemas, so they aren't locked.
draft=Sources/PluginExample/draft.fbs
cp Package.swift "$work/manifest"
replace Package.swift '\["DesignModels", \(.*\)\],$' '["DesignModels", \1], exclude: ["draft.fbs"],'
printf 'table Draft {}\n' > "$draft"
dflatc --accept || fail 'the schemas are not accepted'
[ ! -e "$draft.lock" ] || fail 'an excluded schema is locked'
rm "$draft"
cp "$work/manifest" Package.swift
for schema in "$post" "$author" "$design"; do
  [ -f "$schema.lock" ] || fail "$schema has no lock"
  [ ! -e "$schema.swift" ] || fail "accepting $schema writes Swift code"
done
mark
build
hides 'warning:'
writes ''
cp "$post" "$work/post"

say 'a schema that its lock allows'
replace "$post" 'content: Content;' 'content: Content; stars: int;'
build
hides 'warning:'

say 'a schema that its lock forbids'
mark
replace "$post" '  priority: int ' '  priority: long '
line=$(grep -n 'priority: long' "$post" | cut -d: -f1)
breaks 'a schema that its lock forbids'
shows "/Schemas/post\.fbs:$line:3: error: 'priority' is 'long' and was 'int'; .*replace .*/Schemas/post\.fbs\.lock: .*--target"
writes ''
cp "$post.lock" "$work/lock"
! dflatc --accept || fail 'a schema that its lock forbids is accepted'
shows "/Schemas/post\.fbs:$line:3: error: "
cmp -s "$work/lock" "$post.lock" || fail 'a refused schema changes its lock'
dflatc --accept-incompatible --target PluginExample || fail 'an incompatible schema is not accepted'
shows "/Schemas/post\.fbs:$line:3: warning: 'priority' is 'long' and was 'int'"
grep -q '  priority: long ' "$post.lock" || fail 'the lock has no accepted change'

say 'a changed lock'
cp "$work/post" "$post"
breaks 'a schema that its new lock forbids'
cp "$work/lock" "$post.lock"
build
# Only the lock changes, to a truncated one.
head -n 5 "$work/lock" > "$post.lock"
breaks 'a schema with a damaged lock'
shows "/Schemas/post\.fbs\.lock:6:1: error: this lock can't be read: its end is missing"
rm "$post.lock" "$author.lock" "$design.lock"
build
prints PluginExample "$greeting"

cd "$work/Examples/GeneratedCodeExample"
generated=Sources/GeneratedCodeExample/reading.fbs.swift

say 'GeneratedCodeExample'
build
hides 'warning:'
prints GeneratedCodeExample 'Zugspitze [-4.5, -3.0] as written'
rm "$generated"
dflatc || fail 'the command plugin fails'
diff -u "$root/Examples/GeneratedCodeExample/$generated" "$generated" ||
  fail "$generated isn't what dflatc makes of its schema; run: swift package --allow-writing-to-package-directory dflatc"
! dflatc --target Absent || fail 'the command plugin knows a target Absent'
shows 'package GeneratedCodeExample has no target Absent'
! dflatc --refuse || fail 'the command plugin knows an option --refuse'
shows 'unknown argument --refuse; write: swift package dflatc '

for example in Settings FromUserDefaults ReadingList Tutorials; do
  cd "$work/Examples/$example"
  say "$example"
  build
  hides 'warning:'
done

cd "$work/Examples/NewsReader"

say 'NewsReader'
build
hides 'warning:'
INCREMENTAL='' "$swift" build --package-path "$root" --product kvtool > "$log" 2>&1 || fail "kvtool doesn't build"
mkdir "$work/bin"
ln -s "$scratch/debug/newsreader" "$("$swift" build --package-path "$root" --show-bin-path)/kvtool" "$work/bin/"
"$root/scripts/check-newsreader.sh" "$work/bin" "$PWD" || fail "the session of NewsReader's README isn't as printed"
cd "$work/Examples/Notebook"
lock=Sources/Notebook/Schemas/note.fbs.lock

say 'Notebook: release 2 may replace release 1'
cp Sources/NotebookV1/Schemas/note.fbs.lock "$lock"
build
hides 'warning:'
dflatc --accept || fail 'the schemas are not accepted'
for lock in Sources/*/Schemas/note.fbs.lock; do
  diff -u "$root/Examples/Notebook/$lock" "$lock" ||
    fail "$lock isn't that of its schema; run: swift package --allow-writing-to-package-directory dflatc --accept"
done
build

say 'Notebook: its session'
ln -s "$scratch/debug/notebook" "$scratch/debug/notebook-v1" "$work/bin/"
"$root/scripts/check-notebook.sh" "$work/bin" "$PWD" || fail "the session of Notebook's README isn't as printed"
while read -r link; do
  [ -e "$root/Examples/Notebook/$link" ] || fail "Notebook's README links to $link, which doesn't exist"
done < <(grep -oE '\]\([^)]+' README.md | cut -c 3-)

say 'The sessions of the other examples, and of the tutorials'
tutorials=$root/Sources/DflatKV/DflatKV.docc/Tutorials
bin=$("$swift" build --package-path "$root" --show-bin-path)
for document in "$root"/Examples/{Settings,FromUserDefaults}/README.md "$tutorials"/*.md; do
  "$root/scripts/check-session.sh" "$document" "$scratch/debug" "$bin" || fail "$document isn't true"
done

cd "$work/Examples/StarWarsReader"

say 'StarWarsReader: its session'
build
hides 'warning:'
dflatc --accept || fail 'the locks are not written'
for lock in Sources/StarWarsReader/*.lock; do
  diff -u "$root/Examples/StarWarsReader/$lock" "$lock" ||
    fail "$lock isn't that of its operations; run: swift package --allow-writing-to-package-directory dflatc --accept"
done
"$root/scripts/check-starwars.sh" "$PWD" "$scratch" || fail "the session of StarWarsReader's README isn't as printed"
say 'Packages that only traits use are not fetched'
for package in \
  async-http-client swift-configuration swift-crypto swift-distributed-tracing swift-metrics swift-nio swift-nio-ssl \
  swift-service-lifecycle; do
  [ ! -e "$scratch/checkouts/$package" ] || fail "$package was fetched"
done
say 'all is well'
