import Foundation

/// The results of a comparison of stores, as stored in the file from which its tables are made.
struct StoreResults: Codable {
  /// The conditions of a measurement, apart from the store.
  struct Setting: Codable, Hashable {
    var kind: RecordKind
    var records: Int
    var distribution: KeyDistribution
    var durability: StoreDurability
    var processes: Int
    var threads: Int
    var workload: YCSBWorkload
  }

  struct Row: Codable {
    var setting: Setting
    var store: StoreName
    /// The median of the rounds.
    var operationsPerSecond: Double
    /// The median of the ratios to the baseline in the same round; nil if the baseline wasn't measured.
    var ratio: Double?
    /// Latencies in nanoseconds: the median of all operations, and what 99 % and 99.9 % of them don't exceed.
    var p50: Int
    var p99: Int
    var p999: Int
    /// The most memory of the processes together, in bytes.
    var peakMemory: Int
  }

  /// A store that was filled.
  struct Load: Codable {
    var kind: RecordKind
    var records: Int
    var store: StoreName
    var seconds: Double
    var fileBytes: Int
  }

  var machine: Results.Machine
  var versions: [String]
  var seconds: Double
  var rounds: Int
  var loads: [Load] = []
  var rows: [Row] = []

  init(seconds: Double, rounds: Int) {
    machine = .current
    versions = StoreVersions.all
    self.seconds = seconds
    self.rounds = rounds
  }

  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Returns the older results, with what this run measured replaced or added.
  func merged(into older: StoreResults) -> StoreResults {
    var merged = self
    merged.loads =
      older.loads.filter { load in
        !loads.contains { $0.kind == load.kind && $0.records == load.records && $0.store == load.store }
      } + loads
    merged.rows =
      older.rows.filter { row in !rows.contains { $0.setting == row.setting && $0.store == row.store } } + rows
    return merged
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A line for each row, so that versions can be compared.
    let lines = try rows.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    var head = self
    head.rows = []
    var text = String(decoding: try encoder.encode(head), as: UTF8.self)
    text = text.replacingOccurrences(of: "\"rows\":[]", with: "\"rows\":[\n\(lines.joined(separator: ",\n"))\n]")
    try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }
}
