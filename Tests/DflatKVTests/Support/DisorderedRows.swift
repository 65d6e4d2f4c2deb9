import Foundation
import TestSupport
import Testing

/// Makes files whose rows are not in the order of their keys.
enum DisorderedRows {
  private static let pageSize = 4_096
  /// The first bytes of leaf pages: of an index, which a table without rowids is, and of a table with rowids.
  private static let leaves: [UInt8] = [10, 13]

  /// Changes the order of a table's rows, which are all in one page, in a file that nobody has open.
  static func arrange(_ table: String, of path: String, _ change: (inout [[UInt8]]) -> Void) throws {
    let root = try #require(
      try RawDatabase(path).text("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'").flatMap { Int($0) })
    let url = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: url)
    let page = (root - 1) * pageSize
    try #require(leaves.contains(bytes[page]))
    let count = Int(bytes[page + 3]) << 8 + Int(bytes[page + 4])
    // The places of the rows in the page, in the order in which they are read.
    let places = (0..<count).map { page + 8 + 2 * $0 }
    var rows = places.map { [bytes[$0], bytes[$0 + 1]] }
    change(&rows)
    for (place, row) in zip(places, rows) { bytes.replaceSubrange(place..<(place + 2), with: row) }
    try bytes.write(to: url)
  }
}
