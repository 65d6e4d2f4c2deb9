import DflatKV
import DflatSupport

/// A sample of `top`: the activity during an interval, and the file's state at its end.
struct TopSample {
  let path: String
  let seconds: Double
  let activity: FileActivity
  let file: FileStatistics
  /// Nil if the system doesn't tell.
  let users: [FileUser]?

  private struct Row {
    let count: Int
    let name: String
  }

  private func rate(_ count: Int) -> String {
    // One decimal; rates of busy files are whole numbers.
    let rate = seconds > 0 ? Double(count) / seconds : 0
    let tenths = (rate * 10).rounded()
    return rate >= 100 ? "\(Int(rate.rounded()))" : "\(Int(tenths) / 10).\(Int(tenths) % 10)"
  }

  /// The groups of keys, busiest first.
  private var prefixes: [Row] {
    rows(activity.keysByPrefix) { prefix in
      let namespace = prefix.namespace.string
      let place = namespace.isEmpty ? "" : "[\(namespace.asName(isTerminal: true))] "
      return place + prefix.text.string.asName(isTerminal: true)
    }
  }

  private var types: [Row] { rows(activity.changesByType) { $0.string.asName(isTerminal: true) } }

  private func rows<Key: Hashable>(_ counts: [Key: Int], _ name: (Key) -> String) -> [Row] {
    counts.map { Row(count: $0.value, name: name($0.key)) }
      .sorted { $0.count != $1.count ? $0.count > $1.count : $0.name.precedesInBytes($1.name) }
  }

  /// Returns the lines of a screen.
  func lines(width: Int, height: Int) -> [String] {
    let sign = activity.isIncomplete ? "at least " : ""
    var lines = [
      "\(path.asName(isTerminal: true))  commit \(file.commitNumber)",
      "\(rate(activity.commits)) commits/s  \(sign)\(rate(activity.keys)) keys/s  "
        + "\(sign)\(rate(activity.objects)) objects/s",
      "file \(Self.size(file.fileBytes))  log \(Self.size(file.walBytes))",
    ]
    lines += userLines + [""]
    // Both tables side by side would cut long keys, so the longer one gets what the other leaves.
    let room = max(0, height - lines.count - 3)
    let typeRows = types.prefix(max(room / 3, room - prefixes.count))
    let prefixRows = prefixes.prefix(max(0, room - typeRows.count))
    lines += table(prefixRows, "prefix") + [""] + table(typeRows, "type")
    return lines.prefix(height).map { String($0.prefix(width)) }
  }

  private func table(_ rows: ArraySlice<Row>, _ title: String) -> [String] {
    let cells = rows.map { [rate($0.count), String($0.count), $0.name] }
    return TextTable.lines([["per s", "changes", title]] + cells, alignments: [.right, .right, .none])
  }

  private var userLines: [String] {
    guard let users else { return ["processes: unknown on this system"] }
    func list(_ title: String, _ users: [FileUser]) -> String {
      let names = users.map { "\($0.process)\($0.name.isEmpty ? "" : " \($0.name.asName(isTerminal: true))")" }
      return "\(title): \(names.isEmpty ? "none" : names.joined(separator: ", "))"
    }
    return [
      list("open in", users), list("writing", users.filter(\.isWriting)), list("reading", users.filter(\.isReading)),
    ]
  }

  static func size(_ bytes: Int64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB"]
    var (value, unit) = (Double(bytes), 0)
    while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    let tenths = Int((value * 10).rounded())
    return unit == 0 || tenths >= 1000
      ? "\(Int(value.rounded())) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// The sample as one JSON object.
  var json: JSONValue {
    func list(_ rows: [JSONObject]) -> JSONValue { .array(rows.map { .object($0) }) }
    let prefixes = activity.keysByPrefix.sorted {
      $0.value != $1.value ? $0.value > $1.value : $0.key.text.string.precedesInBytes($1.key.text.string)
    }
    let types = activity.changesByType.sorted {
      $0.value != $1.value ? $0.value > $1.value : $0.key.string.precedesInBytes($1.key.string)
    }
    let processes = users.map { users in
      list(
        users.map { user in
          JSONObject([
            "process": JSONValue(user.process), "name": .string(user.name), "isWriting": .bool(user.isWriting),
            "isReading": .bool(user.isReading),
          ])
        })
    }
    return .object(
      JSONObject([
        "file": .string(path), "commit": JSONValue(file.commitNumber), "seconds": .double(seconds),
        "commits": JSONValue(activity.commits), "keys": JSONValue(activity.keys),
        "objects": JSONValue(activity.objects),
        "isIncomplete": .bool(activity.isIncomplete), "fileBytes": JSONValue(file.fileBytes),
        "walBytes": JSONValue(file.walBytes), "processes": processes ?? .null,
        "prefixes": list(
          prefixes.map { prefix, count in
            JSONObject([
              "namespace": .string(prefix.namespace.string), "prefix": .string(prefix.text.string),
              "keys": JSONValue(count),
            ])
          }),
        "types": list(types.map { JSONObject(["type": .string($0.key.string), "changes": JSONValue($0.value)]) }),
      ]))
  }
}
