import Foundation
import TestSupport

/// One change to a file.
enum FileChange: CustomStringConvertible, Sendable {
  /// Flips bits of the database or of its log.
  case flip(log: Bool, at: [(place: Double, bit: UInt8)])
  case header(offset: Int, byte: UInt8)
  /// A page's own header and the beginning of its cell pointers.
  case pageHeader(page: Double, offset: Int, byte: UInt8)
  case copyPage(from: Double, to: Double)
  case swapPages(Double, Double)
  case fillPage(Double, byte: UInt8)
  case truncate(log: Bool, to: Double)
  case grow(pages: Int)
  /// Every upper page of the dictionary leads only to the next one.
  case endlessTree
  case sql(String)
  /// A value that is small in the file and large when it is read.
  case bomb(ValueBomb)
  case sideFile(SideFileChange)

  /// True for changes that may happen while programs have the file open.
  var isLive: Bool {
    switch self {
    case .sql, .bomb, .sideFile: true
    default: false
    }
  }

  var description: String {
    switch self {
    case .flip(let log, let places): "flip \(log ? "log " : "")\(places.map { "\($0.place):\($0.bit)" })"
    case .header(let offset, let byte): "header[\(offset)] = \(byte)"
    case .pageHeader(let page, let offset, let byte): "page \(page)[\(offset)] = \(byte)"
    case .copyPage(let from, let to): "copy page \(from) to \(to)"
    case .swapPages(let one, let other): "swap pages \(one), \(other)"
    case .fillPage(let page, let byte): "fill page \(page) with \(byte)"
    case .truncate(let log, let end): "truncate \(log ? "log " : "")to \(end)"
    case .grow(let pages): "grow by \(pages)"
    case .endlessTree: "endless tree"
    case .sql(let text): text
    case .bomb(let bomb): "bomb \(bomb)"
    case .sideFile(let change): "side file is \(change)"
    }
  }

  static func random(for sample: SampleFile, using random: inout SeededGenerator) -> [FileChange] {
    (0..<(Int.random(in: 0..<4, using: &random) == 0 ? 2 : 1)).map { _ in one(for: sample, using: &random) }
  }

  private static func one(for sample: SampleFile, using random: inout SeededGenerator) -> FileChange {
    func place() -> Double { Double.random(in: 0..<1, using: &random) }
    func byte() -> UInt8 { UInt8.random(in: 0...255, using: &random) }
    let isLog = sample.hasLog && Bool.random(using: &random)
    switch Int.random(in: 0..<22, using: &random) {
    case 20:
      // Bombs cost as much time as a hundred other files.
      guard Int.random(in: 0..<8, using: &random) == 0 else { return .sql(HostileSQL.row(using: &random)) }
      return .bomb(ValueBomb.allCases.randomElement(using: &random)!)
    case 21: return .sideFile(SideFileChange.allCases.randomElement(using: &random)!)
    case 0, 1, 2, 3:
      let count = Int.random(in: 1...8, using: &random)
      return .flip(log: isLog, at: (0..<count).map { _ in (place(), UInt8.random(in: 0..<8, using: &random)) })
    case 4: return .header(offset: Int.random(in: 0..<100, using: &random), byte: byte())
    case 5, 6: return .pageHeader(page: place(), offset: Int.random(in: 0..<40, using: &random), byte: byte())
    case 7: return .copyPage(from: place(), to: place())
    case 8: return .swapPages(place(), place())
    case 9: return .fillPage(place(), byte: byte())
    case 10: return .truncate(log: isLog, to: place())
    case 11: return Bool.random(using: &random) ? .grow(pages: Int.random(in: 1...50, using: &random)) : .endlessTree
    case 12, 13: return .sql(HostileSQL.schema(using: &random))
    case 14, 15: return .sql(HostileSQL.changeLog(using: &random))
    default: return .sql(HostileSQL.row(using: &random))
    }
  }

  func apply(to path: String) throws {
    switch self {
    case .sql(let text):
      // Some statements fail, for example on a file without entities, or after another change.
      for statement in text.split(separator: ";;") { try? RawDatabase.execute(String(statement), on: path) }
      return
    case .bomb(let bomb):
      try? RawDatabase.execute(bomb.sql, on: path)
      return
    case .sideFile(let change): return try change.apply(to: path)
    default: break
    }
    var isLog = false
    if case .flip(true, _) = self { isLog = true }
    if case .truncate(true, _) = self { isLog = true }
    let url = URL(fileURLWithPath: path + (isLog ? "-wal" : ""))
    guard var bytes = try? [UInt8](Data(contentsOf: url)), !bytes.isEmpty else { return }
    edit(&bytes)
    try Data(bytes).write(to: url)
  }

  private func edit(_ bytes: inout [UInt8]) {
    let size = 4_096
    let pages = bytes.count / size
    func start(_ place: Double) -> Int { Int(place * Double(pages)) * size }
    switch self {
    case .flip(_, let places):
      for (place, bit) in places { bytes[Int(place * Double(bytes.count))] ^= 1 << bit }
    case .header(let offset, let byte): if offset < bytes.count { bytes[offset] = byte }
    case .truncate(_, let end): bytes.removeSubrange(Int(end * Double(bytes.count))...)
    case .grow(let more): bytes += [UInt8](repeating: 0, count: more * size)
    case _ where pages == 0: break
    case .pageHeader(let page, let offset, let byte):
      let place = start(page) + (start(page) == 0 ? 100 : 0) + offset
      bytes[place] = byte
    case .copyPage(let from, let to):
      bytes.replaceSubrange(start(to)..<(start(to) + size), with: bytes[start(from)..<(start(from) + size)])
    case .swapPages(let one, let other):
      let kept = Array(bytes[start(one)..<(start(one) + size)])
      bytes.replaceSubrange(start(one)..<(start(one) + size), with: bytes[start(other)..<(start(other) + size)])
      bytes.replaceSubrange(start(other)..<(start(other) + size), with: kept)
    case .fillPage(let page, let byte):
      bytes.replaceSubrange(start(page)..<(start(page) + size), with: [UInt8](repeating: byte, count: size))
    case .endlessTree: Self.makeEndless(&bytes, size, pages)
    case .sql, .bomb, .sideFile: break
    }
  }

  private static func makeEndless(_ bytes: inout [UInt8], _ size: Int, _ pages: Int) {
    let inner = (1..<max(pages, 1)).filter { bytes[$0 * size] == 2 }
    for (page, next) in zip(inner, inner.dropFirst()) {
      let start = page * size
      let child = withUnsafeBytes(of: UInt32(next + 1).bigEndian) { [UInt8]($0) }
      bytes.replaceSubrange((start + 8)..<(start + 12), with: child)
      for cell in 0..<(Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])) {
        let pointer = start + 12 + 2 * cell
        guard pointer + 1 < start + size else { break }
        let offset = start + (Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1]))
        if offset + 4 <= bytes.count { bytes.replaceSubrange(offset..<(offset + 4), with: child) }
      }
    }
  }
}
