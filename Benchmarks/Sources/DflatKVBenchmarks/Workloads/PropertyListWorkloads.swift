import Benchmark
import DflatPropertyList
import Foundation

/// The property list coders, compared with Foundation's: the same values in the same order, one thread.
enum PropertyListWorkloads {
  static let all =
    pair("document", (0..<5_000).map { CodableDocument($0) })
    + pair("deep", (0..<100).map { Nested(depth: 100, number: $0) })
    + pair("wide", (0..<10).map { Wide($0) })

  /// A value in 100 others.
  struct Nested: Codable, Equatable, Sendable {
    var number: Int
    var inner: [Nested]

    init(depth: Int, number: Int) {
      self.number = number
      inner = depth > 1 ? [Nested(depth: depth - 1, number: number + depth)] : []
    }
  }

  /// Many values side by side, in an array and by keys.
  struct Wide: Codable, Equatable, Sendable {
    var preferences: [Preferences]
    var numbers: [String: Int]
    var texts: [String]

    init(_ number: Int) {
      preferences = (0..<500).map { Preferences(number * 1_000 + $0) }
      numbers = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("key \($0)", $0 * number) })
      texts = (0..<1_000).map { "text \($0 % 300)" }
    }
  }

  private static func pair<T: Codable & Equatable & Sendable>(_ name: String, _ values: [T]) -> [Comparison] {
    [encode(name, values), decode(name, values)]
  }

  private static func encode<T: Codable & Equatable & Sendable>(_ name: String, _ values: [T]) -> Comparison {
    Comparison(
      id: "encode-plist-\(name)", title: "Encode a Property List, \(name)",
      baselineTitle: "Foundation's encoder, the same values", limit: 0.2
    ) { _ in
      .init(
        workload: { state in
          let encoder = BinaryPropertyListEncoder()
          try measure(&state, values) { try encoder.encode($0) }
        },
        baseline: { state in
          let encoder = PropertyListEncoder()
          encoder.outputFormat = .binary
          try measure(&state, values) { try encoder.encode($0) }
        })
    }
  }

  private static func measure<T>(
    _ state: inout BenchmarkState, _ values: [T], _ encode: (T) throws -> Data
  ) throws {
    var bytes = 0
    state.start()
    for value in values { bytes += try encode(value).count }
    try state.end()
    guard bytes > values.count * 50 else { throw BenchmarkFailure("the property lists are too short") }
  }

  /// Each side decodes what its encoder wrote.
  private static func decode<T: Codable & Equatable & Sendable>(_ name: String, _ values: [T]) -> Comparison {
    Comparison(
      id: "decode-plist-\(name)", title: "Decode a Property List, \(name)",
      baselineTitle: "Foundation's decoder, the same values", limit: 0.2, note: "including the checks of the bytes"
    ) { _ in
      let theirs = PropertyListEncoder()
      theirs.outputFormat = .binary
      let lists = try values.map { try BinaryPropertyListEncoder().encode($0) }
      let theirLists = try values.map { try theirs.encode($0) }
      return .init(
        workload: { state in
          let decoder = BinaryPropertyListDecoder()
          try measure(&state, values, lists) { try decoder.decode(T.self, from: $0) }
        },
        baseline: { state in
          let decoder = PropertyListDecoder()
          try measure(&state, values, theirLists) { try decoder.decode(T.self, from: $0) }
        })
    }
  }

  private static func measure<T: Equatable>(
    _ state: inout BenchmarkState, _ values: [T], _ lists: [Data], _ decode: (Data) throws -> T
  ) throws {
    var decoded: [T] = []
    decoded.reserveCapacity(lists.count)
    state.start()
    for list in lists { decoded.append(try decode(list)) }
    try state.end()
    guard decoded == values else { throw BenchmarkFailure("the values are wrong") }
  }
}
