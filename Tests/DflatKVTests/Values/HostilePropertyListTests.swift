import DflatCore
import Foundation
import TestSupport
import Testing

@testable import DflatKV
import DflatPropertyList

/// Property lists of another program, read as values of this one.
@Suite struct HostilePropertyListTests {
  private struct Tree: Codable, Equatable, Sendable {
    var children: [Tree]

    init(depth: Int) { children = depth > 0 ? [Tree(depth: depth - 1)] : [] }
    init(from decoder: any Decoder) throws { children = try [Tree](from: decoder) }
    func encode(to encoder: any Encoder) throws { try children.encode(to: encoder) }
  }

  private static func list(_ objects: [[UInt8]]) -> Data { Data(binaryPropertyList(of: objects)) }

  private static let long: [UInt8] = [0x5f, 0x11, 0x20, 0] + [UInt8](repeating: 97, count: 0x2000)

  @Test(
    "A list that contains itself, is very deep, or expands to a huge value is undecodable",
    arguments: [
      list([[0xa1, 0, 0]]), list([[0xa1, 0, 1], [0xa1, 0, 0]]),
      list((1...60).map { [0xa2, 0, $0, 0, $0] } + [[0xa0]]),
      list((1...50_000).map { [0xa1, UInt8($0 >> 8), UInt8($0 & 255)] } + [[0xa0]]),
      list([[0xaf, 0x12, 0, 7, 0, 0] + (0..<0x70000).flatMap { _ in [0, 1] as [UInt8] }, long]),
    ])
  func bombs(list: Data) throws {
    let test = try TestWorkspace()
    test.dictionary["list"] = StoredValue.propertyList(list)
    func check<T: DictionaryCodable>(_ type: T.Type) {
      let error = #expect(throws: WorkspaceError.self) { try test.dictionary.value(forKey: "list", as: type) }
      #expect(error?.code == .undecodable)
    }
    check(Tree.self)
    check([String].self)
  }

  @Test("A shared string is decoded once for each reference, up to the memory limit")
  func sharing() throws {
    let test = try TestWorkspace { $0.flatBufferLimits.maximumMemory = 1 << 20 }
    let strings = { (count: Int) in [String](repeating: String(repeating: "a", count: 8_192), count: count) }
    for (key, count) in [("few", 100), ("many", 200)] {
      test.dictionary[key] = StoredValue.propertyList(
        Self.list([[0xaf, 0x11, 0, UInt8(count)] + (0..<count).flatMap { _ in [0, 1] as [UInt8] }, Self.long]))
    }
    #expect(try test.dictionary.value(forKey: "few", as: [String].self) == strings(100))
    #expect(throws: WorkspaceError.self) { try test.dictionary.value(forKey: "many", as: [String].self) }
  }

  /// An array of two strings: the header, the array, its strings at 13 and 15, a table of offsets, and the trailer.
  private static let pair = list([[0xa2, 0, 1, 0, 2], [0x51, 97], [0x61, 0, 98]])

  /// Decodes a list as an array of strings. Returns nil if it is undecodable.
  private func strings(_ list: Data) throws -> [String]? {
    do { return try ValueCoder.decode(propertyList: list, as: [String].self) } catch let error as WorkspaceError {
      #expect(error.code == .undecodable)
      return nil
    }
  }

  @Test("A truncated property list, or one of another format, is undecodable")
  func otherFormats() throws {
    #expect(try strings(Self.pair) == ["a", "b"])
    for length in 0..<Self.pair.count { #expect(try strings(Self.pair.prefix(length)) == nil, "\(length) bytes") }
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let list = try PropertyListSerialization.data(fromPropertyList: ["a", "b"], format: format, options: 0)
      #expect(try strings(list) == (format == .binary ? ["a", "b"] : nil))
    }
  }

  @Test("An altered property list is undecodable, or has the strings that its bytes say")
  func damage() throws {
    let sound = Self.pair
    let trailer = sound.count - 32
    for place in sound.indices {
      for byte in [0, 1, 0x0f, 0x1f, 0x7f, 0x80, 0xa1, 0xdf, 0xff] as [UInt8] where byte != sound[place] {
        var list = sound
        list[place] = byte
        let found = try strings(list)
        let what: Comment = "byte \(place) is \(byte)"
        switch place {
        // The header.
        case ..<8: #expect(found == nil, what)
        // The letter of an ASCII string.
        case 14 where byte < 0x80: #expect(found == [String(UnicodeScalar(byte)), "b"], what)
        // Bytes that the format doesn't use.
        case trailer..<trailer + 6: #expect(found == ["a", "b"], what)
        // The widths of offsets and references, and the upper bytes of three numbers.
        case trailer + 6..<trailer + 15, trailer + 16..<trailer + 23, trailer + 24..<trailer + 31:
          #expect(found == nil, what)
        default:
          // Foundation reads any list that the decoder accepts.
          if let found {
            #expect(try PropertyListSerialization.propertyList(from: list, format: nil) as? [String] == found, what)
          }
        }
      }
    }
  }

  @Test("A value that is too deep to be read back can't be encoded")
  func writing() throws {
    let test = try TestWorkspace()
    let deepest = Tree(depth: PropertyListLimits.maximumDepth - 2)
    try test.workspace.transactAndWait { $0.dictionary["tree"] = deepest }
    let other = try test.another()
    #expect(try other.dictionary.value(forKey: "tree", as: Tree.self) == deepest)
    let error = #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { $0.dictionary["tree"] = Tree(depth: PropertyListLimits.maximumDepth) }
    }
    #expect(error?.code == .unencodable)
  }
}
