import Foundation

/// Formats the measurements of large files, and of latencies under load, as Markdown.
enum LoadTables {
  static func text(_ files: [LargeFile], _ latencies: [LatencyUnderLoad.Row]) -> String {
    let machine = Results.Machine.current
    return """
      Measured on \(machine.system), \(machine.cores) cores, SQLite \(machine.sqlite), release build.

      \(table(of: files))

      Each transaction waits for the one before it; the table has their latencies: median / 99 % / 99.9 %.

      \(table(of: latencies))

      """
  }

  private static func table(of files: [LargeFile]) -> String {
    let rows: [(String, (LargeFile) -> String)] = [
      (
        "fill the file, per key",
        { ratio($0.loadSeconds / Double($0.count) * 1e9, $0.rawLoadSeconds / Double($0.count) * 1e9) }
      ),
      ("size of the file, per key", { "\($0.fileBytes / $0.count) bytes (\($0.rawFileBytes / $0.count))" }),
      ("open and read a key", { Readable.duration($0.open) }),
      ("read a key that isn't cached, median", { quantile($0.reads, $0.rawReads, 0.5) }),
      ("read a key that isn't cached, 99 %", { quantile($0.reads, $0.rawReads, 0.99) }),
      ("memory, with 100,000 keys in the cache", { Readable.size($0.memory) }),
      ("`keys(withPrefix:)` of 1,000 keys", { Readable.duration($0.prefix) }),
      ("transaction of 10 keys, median", { quantile($0.commits, $0.rawCommits, 0.5) }),
      ("transaction of 10 keys, 99.9 %", { quantile($0.commits, $0.rawCommits, 0.999) }),
      ("the longest of 20,000", { ratio(Double($0.longestCommit), Double($0.longestRawCommit)) }),
    ]
    return MarkdownTable.text(
      ["keys in the file"] + files.map { Readable.grouped($0.count) },
      rows.map { title, cell in [title] + files.map(cell) })
  }

  private static func table(of latencies: [LatencyUnderLoad.Row]) -> String {
    MarkdownTable.text(
      ["meanwhile", "DflatKV", "SQLite by hand"],
      latencies.map { row in
        [row.load.title]
          + [row.workspace, row.raw].map { histogram in
            [0.5, 0.99, 0.999].map { Readable.duration(histogram.quantile($0) ?? 0) }.joined(separator: " / ")
          }
      })
  }

  private static func quantile(_ measured: LatencyHistogram, _ raw: LatencyHistogram, _ share: Double) -> String {
    ratio(Double(measured.quantile(share) ?? 0), Double(raw.quantile(share) ?? 0))
  }

  private static func ratio(_ nanoseconds: Double, _ raw: Double) -> String {
    "\(Readable.duration(Int(nanoseconds))) (\(String(format: "%.1f ×", nanoseconds / raw)))"
  }
}
