import DflatCore
import Foundation
import TestSupport
import Testing

@testable import DflatKV

/// Property lists of another program, read as values of this one.
@Suite("Hostile property lists") struct HostilePropertyListTests {
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

  @Test("A truncated, altered or XML property list is decoded or gives .undecodable")
  func damage() throws {
    let sound = Self.list([[0xa2, 0, 1, 0, 2], [0x51, 97], [0x61, 0, 98]])
    #expect(try ValueCoder.decode(propertyList: sound, as: [String].self) == ["a", "b"])
    var wrong = (0..<sound.count).map { sound.prefix($0) }
    for place in sound.indices {
      for byte in [0, 1, 0x0f, 0x1f, 0x7f, 0x80, 0xa1, 0xdf, 0xff] as [UInt8] {
        var copy = sound
        copy[place] = byte
        wrong.append(copy)
      }
    }
    wrong.append(Data("<?xml version=\"1.0\"?><plist version=\"1.0\"><array><string>a</string></array></plist>".utf8))
    for list in wrong {
      do { _ = try ValueCoder.decode(propertyList: list, as: [String].self) } catch {
        #expect((error as? WorkspaceError)?.code == .undecodable)
      }
    }
  }

  @Test("A value that is too deep to be read back can't be encoded")
  func writing() throws {
    let test = try TestWorkspace()
    let deepest = Tree(depth: PropertyListCheck.maximumDepth - 2)
    try test.workspace.transactAndWait { $0.dictionary["tree"] = deepest }
    let other = try test.another()
    #expect(try other.dictionary.value(forKey: "tree", as: Tree.self) == deepest)
    let error = #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { $0.dictionary["tree"] = Tree(depth: PropertyListCheck.maximumDepth) }
    }
    #expect(error?.code == .unencodable)
  }
}
