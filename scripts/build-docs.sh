#!/usr/bin/env bash
# Builds the documentation of all modules as one DocC archive, for `make docs`: build-docs.sh PACKAGE FOLDER
#
# PACKAGE is Tests/EtcdTests, which enables all traits: the modules behind them are empty otherwise. Compiled modules contain
# the comments, so what the tests have built isn't compiled again. A warning of DocC is an error. swift-docc-plugin runs the
# same commands, after a build of the root package with all traits, which nothing else needs.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 PACKAGE FOLDER" >&2; exit 64; }
root=$(cd "$(dirname "$0")/.." && pwd)
swift=${SWIFT:-swift}
built=$("$swift" build --package-path "$1" --show-bin-path)
output=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The library products, each after those that it uses, which its pages link to.
modules=(
  DflatBuffers DflatPropertyList DflatSchema DflatCore DflatEntities DflatKV DflatCombine DflatObservation DflatUserDefaults
  DflatResponses DflatEtcd DflatReplication DflatConfiguration DflatMetrics DflatSealing DflatServiceLifecycle
  DflatTracing
)
products=$(sed -n 's/^    \.library(name: "\([A-Za-z]*\)".*/\1/p' "$root/Package.swift" | sort)
[ "$products" = "$(printf '%s\n' "${modules[@]}" | sort)" ] || { echo 'build-docs: not all products are documented' >&2; exit 1; }

# Between them, these use all the others.
for module in DflatCombine DflatObservation DflatUserDefaults DflatResponses DflatReplication DflatConfiguration \
  DflatMetrics DflatSealing DflatServiceLifecycle DflatTracing; do
  "$swift" build --package-path "$1" --target "$module" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done

compiler=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)\/lib\/swift",*/\1\/bin/p')
docc=${DOCC:-$compiler/docc}
target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)",*/\1/p' | head -n 1)
includes=(-I "$built/Modules")
while read -r map; do includes+=(-I "$map"); done < <(
  find "$root/Sources" "$1"/.build/checkouts/*/Sources -name module.modulemap -exec dirname {} \; | sort
  find "$built"/*.build/ -maxdepth 1 -name module.modulemap -exec dirname {} \; | sort)

rm -rf "$output"
mkdir -p "$(dirname "$output")"
archives=() dependencies=()
for module in "${modules[@]}"; do
  mkdir -p "$work/graphs/$module"
  "$compiler/swift-symbolgraph-extract" -module-name "$module" -target "$target" "${includes[@]}" \
    -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols \
    -output-dir "$work/graphs/$module"
  archive=$work/$module.doccarchive
  catalog=$root/Sources/$module/$module.docc
  [ -d "$catalog" ] || { echo "build-docs: $module has no catalog" >&2; exit 1; }
  "$docc" convert "$catalog" --additional-symbol-graph-dir "$work/graphs/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" --fallback-default-module-kind Module \
    --enable-experimental-external-link-support --enable-experimental-overloaded-symbol-presentation \
    ${dependencies[@]+"${dependencies[@]}"} \
    --output-path "$archive" --warnings-as-errors
  dependencies+=(--dependency "$archive")
  archives+=("$archive")
done
"$docc" merge "${archives[@]}" --synthesized-landing-page-name DflatKV --output-path "$output"
printf '%s\n' "build-docs: $output"
