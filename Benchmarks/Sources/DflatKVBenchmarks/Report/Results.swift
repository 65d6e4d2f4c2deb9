import Foundation

/// The results of a run, as stored in the file from which the documentation is generated.
struct Results: Codable, Equatable {
  /// The environment that the numbers depend on.
  struct Machine: Codable, Equatable {
    var system: String
    var cores: Int
    var sqlite: String

    static var current: Machine {
      #if os(Linux)
        let system = "Linux"
      #else
        let system = ProcessInfo.processInfo.operatingSystemVersionString
      #endif
      return Machine(
        system: system, cores: ProcessInfo.processInfo.activeProcessorCount, sqlite: RawConnection.libraryVersion)
    }
  }

  var machine: Machine
  var rows: [Row]
  /// The times by the size of the file; nil in a run without them.
  var growth: [Growth]?

  init(machine: Machine = .current, rows: [Row], growth: [Growth]? = nil) {
    self.machine = machine
    self.rows = rows
    self.growth = growth
  }

  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Returns the older results, with the rows that this run measured replaced or added.
  func merged(into older: Results) -> Results {
    var rows = older.rows
    for row in self.rows {
      if let index = rows.firstIndex(where: { $0.id == row.id }) { rows[index] = row } else { rows.append(row) }
    }
    return Results(machine: machine, rows: rows, growth: growth ?? older.growth)
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
  }
}
