import ArgumentParser
import DflatKV

struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Print what the file contains: sizes, commit number, keys and bytes by namespace and type.",
    discussion: """
      Example:
        kvtool stats
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let database = try options.unlessMissing(try options.openForReading())
    // Read everything in one snapshot, so that the numbers are consistent.
    let (file, usages) = try database.workspace.fetchWithinASnapshot {
      (try database.workspace.fileStatistics(), try Self.usages(in: database.workspace.dictionary))
    }
    let summary: [(String, String)] = [
      ("file", try options.path()),
      ("format", "\(file.formatVersion)"),
      ("commit", "\(file.commitNumber)"),
      ("file bytes", "\(file.fileBytes)"),
      ("wal bytes", "\(file.walBytes)"),
      ("free bytes", "\(file.freePages * file.pageSize)"),
      ("keys", "\(usages.reduce(0) { $0 + $1.keyCount })"),
      ("value bytes", "\(usages.reduce(0) { $0 + $1.byteCount })"),
    ]
    var lines = TextTable.lines(summary.map { [$0, $1] }, alignments: [.left, .none])
    if !usages.isEmpty {
      let header = ["keys", "bytes", "type", "namespace"]
      let rows = usages.map { usage in
        [String(usage.keyCount), String(usage.byteCount), usage.kind.rawValue, quoted(usage.namespace)]
      }
      lines += [""] + TextTable.lines([header] + rows, alignments: [.right, .right, .left, .none])
    }
    try StandardOutput.write(Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  private struct Usage {
    let namespace: String
    let kind: StoredValue.Kind
    var keyCount = 0
    var byteCount = 0
  }

  private static func usages(in dictionary: WorkspaceDictionary) throws -> [Usage] {
    try dictionary.namespaces().flatMap { namespace in
      var usages: [StoredValue.Kind: Usage] = [:]
      for entry in try dictionary.namespace(namespace).entries() {
        let kind = entry.value.kind
        usages[kind, default: Usage(namespace: namespace, kind: kind)].keyCount += 1
        usages[kind, default: Usage(namespace: namespace, kind: kind)].byteCount += entry.value.byteCount
      }
      return usages.values.sorted { $0.kind.rawValue < $1.kind.rawValue }
    }
  }
}
