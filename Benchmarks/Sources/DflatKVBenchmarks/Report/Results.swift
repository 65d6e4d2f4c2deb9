import Foundation

/// A whole run, as it is kept in the file that the documentation is made from.
struct Results: Codable, Equatable {
  /// What the numbers depend on, beside the code.
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

  init(machine: Machine = .current, rows: [Row]) {
    self.machine = machine
    self.rows = rows
  }

  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Rows that this run measured anew take the place of the older ones; the others stay.
  func merged(into older: Results) -> Results {
    var rows = older.rows
    for row in self.rows {
      if let index = rows.firstIndex(where: { $0.id == row.id }) { rows[index] = row } else { rows.append(row) }
    }
    return Results(machine: machine, rows: rows)
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
  }
}
