import ArgumentParser
import DflatKV

struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Print what the file contains: sizes, commit number, keys and bytes by namespace and type, objects.",
    discussion: """
      'kvtool tables' counts the objects by type.

      Example:
        kvtool stats
        kvtool stats --format json
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: "The format: text or json.")
  var format = ListFormat.text

  func run() throws {
    let database = try options.openForReading()
    // Read everything in one snapshot, so that the numbers are consistent.
    let (file, usages, objectCount, replaced) = try database.workspace.fetchWithinASnapshot {
      let dictionary = database.workspace.dictionary
      return (
        try database.workspace.fileStatistics(), try Self.usages(in: dictionary),
        try database.workspace.storedTables(counting: true).reduce(0) { $0 + ($1.count ?? 0) },
        try dictionary.replacedValues(inAllNamespaces: true).map(\.byteCount)
      )
    }
    let statistics = Statistics(
      path: try options.path(), file: file, usages: usages, objectCount: objectCount, replacedSizes: replaced)
    switch format {
    case .json: try StandardOutput.write(statistics.json)
    case .text: try StandardOutput.write(Array(statistics.lines.map { $0 + "\n" }.joined().utf8))
    }
  }

  private static func usages(in dictionary: WorkspaceDictionary) throws -> [Usage] {
    try dictionary.namespaces().flatMap { namespace in
      var usages: [StoredValue.Kind: Usage] = [:]
      try dictionary.namespace(namespace).forEachCommittedEntry { entry in
        let kind = entry.value.kind
        usages[kind, default: Usage(namespace: namespace, kind: kind)].keyCount += 1
        usages[kind, default: Usage(namespace: namespace, kind: kind)].byteCount += entry.value.byteCount
        return true
      }
      return usages.values.sorted { $0.kind.rawValue < $1.kind.rawValue }
    }
  }
}

/// The keys of one type in one namespace.
private struct Usage {
  let namespace: String
  let kind: StoredValue.Kind
  var keyCount = 0
  var byteCount = 0
}

/// The printed statistics of a file.
private struct Statistics {
  let path: String
  let file: FileStatistics
  let usages: [Usage]
  let objectCount: Int
  /// The sizes of the replaced values, in bytes.
  let replacedSizes: [Int]

  private var replacedBytes: Int { replacedSizes.reduce(0, +) }
  private var freeBytes: Int { file.freePages * file.pageSize }
  private var keyCount: Int { usages.reduce(0) { $0 + $1.keyCount } }
  private var valueBytes: Int { usages.reduce(0) { $0 + $1.byteCount } }

  var lines: [String] {
    let notice = file.sqliteHasCheckpointBug ? " (other programs should not write to the file)" : ""
    var summary = [
      ["file", path], ["format", "\(file.formatVersion)"], ["commit", "\(file.commitNumber)"],
      ["file bytes", "\(file.fileBytes)"], ["wal bytes", "\(file.walBytes)"], ["free bytes", "\(freeBytes)"],
      ["keys", "\(keyCount)"], ["value bytes", "\(valueBytes)"], ["objects", "\(objectCount)"],
      ["sqlite", file.sqliteVersion + notice],
    ]
    if !replacedSizes.isEmpty {
      summary += [["replaced values", "\(replacedSizes.count)"], ["replaced bytes", "\(replacedBytes)"]]
    }
    let lines = TextTable.lines(summary, alignments: [.left, .none])
    guard !usages.isEmpty else {
      return lines
    }
    let header = ["keys", "bytes", "type", "namespace"]
    let rows = usages.map { usage in
      [String(usage.keyCount), String(usage.byteCount), usage.kind.rawValue, quoted(usage.namespace)]
    }
    return lines + [""] + TextTable.lines([header] + rows, alignments: [.right, .right, .left, .none])
  }

  var json: JSONValue {
    let list = usages.map { usage in
      JSONValue.object(
        JSONObject([
          "namespace": .string(usage.namespace), "type": .string(usage.kind.rawValue),
          "keys": JSONValue(usage.keyCount), "bytes": JSONValue(usage.byteCount),
        ]))
    }
    return .object(
      JSONObject([
        "file": .string(path), "format": JSONValue(file.formatVersion), "commit": JSONValue(file.commitNumber),
        "fileBytes": JSONValue(file.fileBytes), "walBytes": JSONValue(file.walBytes), "freeBytes": JSONValue(freeBytes),
        "keys": JSONValue(keyCount), "valueBytes": JSONValue(valueBytes),
        "objects": JSONValue(objectCount),
        "replacedValues": JSONValue(replacedSizes.count), "replacedBytes": JSONValue(replacedBytes),
        "sqlite": .string(file.sqliteVersion),
        "sqliteHasCheckpointBug": .bool(file.sqliteHasCheckpointBug), "usage": .array(list),
      ]))
  }
}
