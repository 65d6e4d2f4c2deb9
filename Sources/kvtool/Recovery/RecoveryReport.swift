/// The rows that were recovered from a damaged file, and those that were lost.
struct RecoveryReport {
  struct Objects {
    let type: String
    var count = 0
  }

  var keyCount = 0
  var replacedCount = 0
  /// The objects of each table, in the order of the tables' names.
  var objects: [Objects] = []
  /// The keys and objects that were found in pages to which nothing refers. They may have been deleted before.
  var strayCount = 0
  /// Rows that can't be read, or are no rows of their tables.
  var damagedRowCount = 0
  /// The pages that can't be read as what they should be.
  var damagedPages: [Int] = []
  /// Pages that something refers to, beyond the end of the file.
  var missingPageCount = 0
  /// Pages that nothing refers to, with rows of an unknown table.
  var unknownPageCount = 0
  /// Other faults of the file.
  var notes: [String] = []

  var isComplete: Bool {
    damagedRowCount == 0 && damagedPages.isEmpty && missingPageCount == 0 && unknownPageCount == 0 && strayCount == 0
      && notes.isEmpty
  }

  /// True if nothing was found.
  var isEmpty: Bool { keyCount == 0 && replacedCount == 0 && objects.allSatisfy { $0.count == 0 } }

  /// The most pages that are listed.
  private static let maximumPages = 20

  var lines: [String] {
    var lines = ["recovered: \(Self.text(keyCount, "key"))"]
    // If something was lost, it may be all objects of a type.
    lines += objects.filter { $0.count > 0 || !isComplete }
      .map { "recovered: \(Self.text($0.count, "object")) of \($0.type.asLine)" }
    if replacedCount > 0 { lines.append("recovered: \(Self.text(replacedCount, "replaced value"))") }
    if strayCount > 0 {
      lines.append(
        "\(Self.text(strayCount, "row")) of these \(strayCount == 1 ? "was" : "were") in pages that nothing refers to, "
          + "and may have been deleted before")
    }
    if !damagedPages.isEmpty {
      let names = damagedPages.prefix(Self.maximumPages).map(String.init).joined(separator: ", ")
      let rest = damagedPages.count > Self.maximumPages ? ", …" : ""
      lines.append("lost: \(Self.text(damagedPages.count, "page")) that can't be read (\(names)\(rest))")
    }
    if missingPageCount > 0 {
      lines.append("lost: what \(Self.text(missingPageCount, "reference")) beyond the end of the file led to")
    }
    if damagedRowCount > 0 { lines.append("lost: \(Self.text(damagedRowCount, "row")) that can't be read") }
    if unknownPageCount > 0 {
      lines.append("lost: \(Self.text(unknownPageCount, "page")) that nothing refers to, with rows of an unknown type")
    }
    return lines + notes
  }

  private static func text(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
