import ArgumentParser
import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ReplacedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replaced",
    abstract: "List, print, restore or remove values that were replaced by ones of another type.",
    discussion: """
      A file keeps the bytes of values that a program could not read when it replaced them, and of values that were \
      replaced by ones of another type. Without an ID, they are listed, newest first: ID, time, type, size in bytes and \
      key. IDs alone print the values. With --restore, each value becomes that of its key, in one transaction, and the \
      present value is kept in turn, unless it expires; --remove removes values for good. An ID that is not listed gives \
      exit status 2, and two IDs of one key with --restore give 64; then nothing is changed.

      Example:
        kvtool replaced
        kvtool replaced 42.1 --restore
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The IDs of values, as the list prints them.")
  var id: [ReplacedID] = []

  @Flag(help: "List the values of all namespaces, not just one. IDs may be of any namespace.")
  var allNamespaces = false

  @Flag(help: "Put the values back.")
  var restore = false

  @Flag(help: "Remove the values.")
  var remove = false

  @Option(help: "The format: text or json.")
  var format = ListFormat.text

  func validate() throws {
    if allNamespaces, options.namespace != nil {
      throw ValidationError("--all-namespaces and --namespace exclude each other")
    }
    guard !restore || !remove else {
      throw ValidationError("give --restore or --remove, not both")
    }
    guard !id.isEmpty || !restore && !remove else {
      throw ValidationError("name the values by their IDs, as 'kvtool replaced' lists them")
    }
  }

  func run() throws {
    let ids = id.map(\.value)
    guard !restore && !remove else {
      return try change(ids)
    }
    let dictionary = try options.openForReading().dictionary
    let all = try dictionary.replacedValues(inAllNamespaces: allNamespaces || !ids.isEmpty)
    try requireNone(ids.filter { id in !all.contains { $0.id == id } })
    let chosen = ids.isEmpty ? all : ids.compactMap { id in all.first { $0.id == id } }
    switch (format, ids.isEmpty) {
    case (.json, _): try StandardOutput.write(.array(chosen.map(json(_:))))
    case (.text, true): try StandardOutput.write(Array(table(chosen).map { $0 + "\n" }.joined().utf8))
    case (.text, false): try StandardOutput.write(try chosen.flatMap(bytes(of:)))
    }
  }

  private func change(_ ids: [ReplacedValue.ID]) throws {
    let database = try options.openForUpdating()
    try database.transact { dictionary in
      if restore {
        try requireDistinctKeys(ids, in: dictionary)
      }
      // An ID may be given twice to be removed.
      try requireNone(
        ids.enumerated().filter { index, id in
          if restore { return try !dictionary.restoreReplacedValue(id) }
          return try dictionary.removeReplacedValues([id]) == 0 && !ids[..<index].contains { $0 == id }
        }.map(\.element))
    }
    database.workspace.shutdown()
  }

  /// Refuses two values of one key: only one of them could be its value.
  private func requireDistinctKeys(_ ids: [ReplacedValue.ID], in dictionary: WorkspaceDictionary) throws {
    guard ids.count > 1 else {
      return
    }
    let all = try dictionary.replacedValues(inAllNamespaces: true)
    let chosen = ids.compactMap { id in all.first { $0.id == id } }
    for (index, value) in chosen.enumerated() {
      let hasOther = chosen[..<index].contains {
        $0.namespace.utf8.elementsEqual(value.namespace.utf8) && $0.key.utf8.elementsEqual(value.key.utf8)
      }
      if hasOther {
        throw ToolError(.usage, "several of the values are of key \(quoted(value.key)): restore one of them")
      }
    }
  }

  private func requireNone(_ absent: [ReplacedValue.ID]) throws {
    guard absent.isEmpty else {
      let names = absent.map(\.description).joined(separator: ", ")
      throw ToolError(.keyAbsent, "no such replaced \(absent.count == 1 ? "value" : "values"): \(names)")
    }
  }

  // MARK: Output

  private func table(_ values: [ReplacedValue]) -> [String] {
    let isTerminal = StandardOutput.isTerminal
    let rows = values.map { replaced -> [String] in
      let type = replaced.value?.kind.rawValue ?? "unknown"
      var row = ["\(replaced.id)", timestamp(of: replaced) ?? "-", type, "\(size(of: replaced))"]
      if allNamespaces { row.append(quoted(replaced.namespace)) }
      row.append(replaced.key.asName(isTerminal: isTerminal))
      return row
    }
    var alignments: [TextTable.Alignment] = [.right, .left, .left, .right]
    if allNamespaces { alignments.append(.left) }
    alignments.append(.none)
    return TextTable.lines(rows, alignments: alignments)
  }

  private func bytes(of replaced: ReplacedValue) throws -> [UInt8] {
    guard let value = replaced.value else {
      let name = "\(replaced.id) of key \(quoted(replaced.key))"
      throw ToolError(
        .otherError,
        "the replaced value \(name) is damaged, sealed with another key, or of no type that this version knows")
    }
    do throws(ValueFailure) {
      return try ValuePrinter(.auto, isTerminal: StandardOutput.isTerminal).bytes(value)
    } catch {
      throw error.toolError(key: replaced.key)
    }
  }

  private func json(_ replaced: ReplacedValue) -> JSONValue {
    var members = [
      JSONObject.Member(name: "id", value: .string("\(replaced.id)")),
      JSONObject.Member(name: "key", value: .string(replaced.key)),
      JSONObject.Member(name: "namespace", value: .string(replaced.namespace)),
      JSONObject.Member(name: "type", value: replaced.value.map { .string($0.kind.rawValue) } ?? .null),
      // Within an object and an array. Bytes that are no property list are base64.
      JSONObject.Member(name: "value", value: replaced.value?.portableJSON(within: 2) ?? .null),
      JSONObject.Member(name: "bytes", value: JSONValue(size(of: replaced))),
      JSONObject.Member(name: "commit", value: JSONValue(replaced.id.commitNumber)),
      JSONObject.Member(name: "time", value: timestamp(of: replaced).map { .string($0) } ?? .null),
    ]
    if case .flatBuffers(_, let version?) = replaced.value {
      members.append(JSONObject.Member(name: "version", value: .string(version)))
    }
    return JSONObject(unsorted: members).map(JSONValue.object) ?? .null
  }

  /// Returns the size that 'kvtool keys --long' would print; that of the stored bytes if they can't be read.
  private func size(of replaced: ReplacedValue) -> Int { replaced.value?.byteCount ?? replaced.byteCount }

  private func timestamp(of replaced: ReplacedValue) -> String? {
    TimestampText.string(replaced.date.timeIntervalSinceReferenceDate)
  }
}

/// The ID of a replaced value, such as `42.1`.
struct ReplacedID: ExpressibleByArgument {
  let value: ReplacedValue.ID

  init?(argument: String) {
    guard let value = ReplacedValue.ID(argument) else {
      return nil
    }
    self.value = value
  }
}
