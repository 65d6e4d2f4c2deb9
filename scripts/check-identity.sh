#!/usr/bin/env bash
# Fails if a key, a namespace or another name is identified by a String: Swift's == on strings, and every map, set and sort
# of them, treats canonically equivalent texts as equal. HashedKey is the identity of keys, ByteComparedString that of other names.
set -euo pipefail
cd "$(dirname "$0")/.."

names='(key|name|namespace|namespaceName|prefix|path|location|string|table)'
everywhere=(Sources/DflatKV Sources/kvtool Sources/DflatCore Sources/DflatEntities)
# In these folders every name is a user's key or namespace. In the others, they are also paths of fields, in digits, and sort
# keys.
keyed=(Sources/DflatKV Sources/kvtool)

found() {
  local pattern=$1
  shift
  grep -rnE --include='*.swift' -- "$pattern" "$@" | grep -vE '^[^:]*:[0-9]*: *//' || true
}

all=$(
  found '\[String *: *[A-Za-z]|\[\[(String|UInt8)\] *:' "${everywhere[@]}"
  found 'Set<(String|\[UInt8\]|Substring)>' "${everywhere[@]}"
  found "(Set|Dictionary)\\(.*map\\((\\\\\\.|\\{ \\\$0\\.)$names[ )]" "${everywhere[@]}"
  found 'Dictionary\((grouping|uniqueKeys)' "${everywhere[@]}"
  found "(^|[^A-Za-z])$names\\)? (==|!=) [^.n\"]" "${keyed[@]}"
  found "(^|[^A-Za-z])$names\\)? (==|!=) n[^i]" "${keyed[@]}"
  found "(^|[^A-Za-z])$names (<|>) " "${keyed[@]}"
  found '\.sorted\(\)|\.sort\(\)|\.(keys|names|namespaces)\.contains\(' "${keyed[@]}"
)

# FILE:TEXT entries that are allowed, each with its reason.
allowed=(
  'kvtool/Tool/DatabaseLocation.swift:environment: [String: String]'      # environment variables, whose names are our own
  'kvtool/LineEditing/LineHistory.swift:environment: [String: String]'      # the same
  'kvtool/LineEditing/LineHistory.swift:rename(temporary, path)'           # a result, not a path
  'kvtool/Recovery/Recovery.swift:damage.pages.sorted()'                   # numbers
  'kvtool/Recovery/WriteAheadLog.swift:offsets.keys.sorted()'               # numbers of pages
  'kvtool/Subscribing/ShellHook.swift:[String: String]'                    # the same
  'kvtool/Tool/CommandLineArguments.swift:optionsWithValue: Set<String>'  # our own options
  'kvtool/FlatBuffers/:'                                                   # identifiers of schemas, which are ASCII
  'DflatKV/Keys/HashedKey.swift:a.hash == b.hash'                          # the identity itself; namespaces are numbers
  'DflatKV/Keys/PrefixRange.swift:.namespace == namespace'                 # numbers
  'DflatKV/Keys/PrefixRangeSet.swift:range.namespace == namespace'         # numbers
  'DflatKV/Store/ChangeRecord.swift:namespaces.sorted()'                   # numbers
  'DflatKV/Store/DictionarySQL.swift:ByteComparedString($0) }).sorted()'     # bytes
  'DflatKV/Store/DictionarySQL.swift:WHERE namespace ='                    # SQL
)

violations=$(
  printf '%s\n' "$all" | sort -u | while IFS= read -r line; do
    [[ -z $line ]] && continue
    for entry in "${allowed[@]}"; do
      [[ $line == *"${entry%%:*}"* && $line == *"${entry#*:}"* ]] && continue 2
    done
    printf '%s\n' "$line"
  done
)
if [[ -n $violations ]]; then
  printf '%s\n' "$violations"
  echo "A name is identified by a String: use HashedKey for keys, ByteComparedString or hasSameBytes(as:) for other names." >&2
  exit 1
fi
