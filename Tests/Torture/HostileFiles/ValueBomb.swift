import DflatBuffers
import Foundation
import TestSupport

/// Values of one row, of a megabyte or two, that expand to gigabytes, or contain themselves.
enum ValueBomb: CaseIterable, Sendable {
  /// A FlatBuffer with half a million references to one string.
  case strings
  /// A property list of arrays that hold the next one twice.
  case doubling
  /// A property list of an array that holds itself.
  case endless
  /// A property list that is nested very deep.
  case deep
  /// A property list with very many references to one long string.
  case repeated

  /// SQL that replaces the value that the machine reads as the bombed type.
  var sql: String { Self.statements[self]! }

  /// The statements, made once because they are megabytes of digits.
  private static let statements = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.makeSQL()) })

  private func makeSQL() -> String {
    let (tag, bytes) = self == .strings ? (9, Self.flatBuffer) : (8, propertyList)
    let digits = Array("0123456789abcdef".utf8)
    let hex = String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    return """
      INSERT OR REPLACE INTO dictionary (namespace, key, type, value, version, commit_number) \
      VALUES ('', 'bomb', \(tag), x'\(hex)', NULL, 1)
      """
  }

  private static var flatBuffer: [UInt8] {
    var builder = FlatBufferBuilder(limits: FlatBufferLimits(maximumMemory: .max))
    let text = builder.create(String(repeating: "text", count: 1_000))
    let vector = builder.create(offsets: [FlatBufferOffset](repeating: text, count: 500_000))
    builder.startTable(slots: 17)
    builder.add(vector, at: 24)
    let root = builder.endTable()
    do { try builder.finish(root) } catch { preconditionFailure("\(error)") }
    return builder.withFinishedBytes { Array($0) }
  }

  private var propertyList: [UInt8] {
    switch self {
    case .strings, .endless: binaryPropertyList(of: [[0xa1, 0, 0]])
    case .doubling: binaryPropertyList(of: (1...60).map { [0xa2, 0, $0, 0, $0] } + [[0xa0]])
    case .deep: binaryPropertyList(of: (1...50_000).map { [0xa1, UInt8($0 >> 8), UInt8($0 & 255)] } + [[0xa0]])
    case .repeated:
      binaryPropertyList(of: [
        [0xaf, 0x12, 0, 7, 0, 0] + (0..<0x70000).flatMap { _ in [0, 1] as [UInt8] },
        [0x5f, 0x11, 0x20, 0] + [UInt8](repeating: 97, count: 0x2000),
      ])
    }
  }
}
