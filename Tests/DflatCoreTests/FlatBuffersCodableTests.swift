import DflatBuffers
import DflatCore
import Foundation
import TestSupport
import Testing

@Suite struct FlatBuffersCodableTests {
  @Test("A table round-trips through data that carries its file identifier")
  func tables() throws {
    let note = Note(text: "Größe", next: Note(text: "second"))
    let data = note.toData()
    #expect(String(decoding: data[4..<8], as: UTF8.self) == "NOTE")
    #expect(try Note(data: data) == note)
    // Data whose start index isn't 0.
    #expect(try Note(data: (Data([1, 2, 3]) + data).dropFirst(3)) == note)
  }

  @Test("A struct round-trips through data")
  func structs() throws {
    let point = Point(x: 1, y: -2)
    #expect(try Point(data: point.toData()) == point)
    #expect(point.toData().count == 12)
  }

  @Test("Decoding truncated data or data with a wrong identifier throws")
  func damage() {
    #expect { try Note(data: Data()) } throws: { ($0 as? FlatBufferError)?.code == .truncated }
    var data = Note(text: "x").toData()
    data[4] = 0
    #expect { try Note(data: data) } throws: {
      let error = $0 as? FlatBufferError
      return error?.code == .wrongIdentifier && error?.table == "Note"
    }
  }

  @Test("A value that is nested too deeply makes encoded(with:) throw tooDeep")
  func tooDeep() throws {
    var note = Note(text: "x")
    for _ in 0..<63 { note = Note(text: "x", next: note) }
    #expect(try Note(data: note.toData()) == note)
    var builder = FlatBufferBuilder()
    let deep = Note(text: "x", next: note)
    var failure: FlatBufferError?
    do throws(FlatBufferError) { _ = try deep.encoded(with: &builder) } catch { failure = error }
    #expect(failure?.code == .tooDeep)
    // The builder is in its initial state again.
    #expect(try note.encoded(with: &builder) == note.toData())
  }

  @Test("A small buffer that would be refused as too large a value when it is read isn't written")
  func memory() {
    for value in [
      // Each takes 8 bytes of the buffer, or 13, and 8 KB of memory.
      Row(cells: Array(repeating: Wide(), count: 30_000)),
      Row(unions: Array(repeating: .text(""), count: 19_000)),
    ] {
      var builder = FlatBufferBuilder()
      var failure: FlatBufferError?
      do throws(FlatBufferError) { _ = try value.encoded(with: &builder) } catch { failure = error }
      #expect(failure?.code == .tooMuchMemory)
    }
  }

  @Test("A value can be encoded while another one is being encoded")
  func reentrancy() throws {
    let outer = Envelope(note: Note(text: "inner"))
    let read = try Envelope(data: outer.toData())
    #expect(read.note == outer.note)
  }

  @Test("Several threads can encode values at the same time")
  func threads() {
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<200 {
        let note = Note(text: String(repeating: "\(thread)", count: number))
        let read = try? Note(data: note.toData())
        #expect(read == note)
      }
    }
  }
}

private struct Note: FlatBufferTableValue, FlatBuffersCodable, Hashable {
  var text: String
  @Indirect var next: Note?

  static let flatBuffersSchemaVersion: String? = nil
  static let flatBufferLayout: TableLayout = TableLayout(
    "Note", identifier: "NOTE",
    fields: [.string("text", 4, required: true), .table("next", 6) { Note.flatBufferLayout }])

  init(text: String, next: Note? = nil) {
    self.text = text
    self.next = next
  }

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    text = try table.required(table.string(4), 4)
    next = try table.table(6)
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let text = builder.create(text)
    let next = builder.create(next)
    builder.startTable(slots: 2)
    builder.add(next, at: 6)
    builder.add(text, at: 4)
    return builder.endTable()
  }
}

private struct Point: FlatBufferStructure, FlatBuffersCodable, Hashable {
  var x: Int32
  var y: Int32

  static let flatBuffersSchemaVersion: String? = nil
  static let flatBufferLayout = StructLayout("Point", size: 8, alignment: 4)

  init(x: Int32, y: Int32) {
    self.x = x
    self.y = y
  }

  init(_ structure: FlatBufferStruct) throws(FlatBufferError) {
    x = try structure.scalar(0)
    y = try structure.scalar(4)
  }

  func write(to writer: inout FlatBufferStructWriter) {
    writer.write(x, at: 0)
    writer.write(y, at: 4)
  }
}

/// A table that stores another one as data, and therefore encodes it while it is being encoded itself.
private struct Envelope: FlatBufferTableValue, FlatBuffersCodable {
  var note: Note

  static let flatBuffersSchemaVersion: String? = nil
  static let flatBufferLayout: TableLayout = TableLayout(
    "Envelope", fields: [.vector("note", 4, required: true, of: .scalar(UInt8.self))])

  init(note: Note) { self.note = note }

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    let bytes: [UInt8] = try table.required(table.scalars(4), 4)
    note = try Note(data: Data(bytes))
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let note = builder.create(vector: [UInt8](note.toData()))
    builder.startTable(slots: 1)
    builder.add(note, at: 4)
    return builder.endTable()
  }
}

/// A table that takes little in a buffer and much in memory.
private struct Wide: FlatBufferTableValue {
  static let flatBufferLayout: TableLayout = TableLayout(
    "Wide", fields: (0..<500).map { .string("s\($0)", 4 + 2 * $0) })

  init() {}

  init(_ table: FlatBufferTable) {}

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    builder.startTable(slots: 0)
    return builder.endTable()
  }
}

private enum WideOrText: FlatBufferUnion {
  case wide(Wide)
  case text(String)

  static let flatBufferLayout: UnionLayout = UnionLayout(
    "WideOrText", members: [1: .table { Wide.flatBufferLayout }, 2: .string])

  init?(kind: UInt8, _ member: FlatBufferUnionMember) throws(FlatBufferError) {
    switch kind {
    case 1: self = .wide(try member.table())
    case 2: self = .text(try member.string())
    default: return nil
    }
  }

  var flatBufferKind: UInt8 {
    switch self {
    case .wide: 1
    case .text: 2
    }
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    switch self {
    case .wide(let value): builder.create(value)
    case .text(let value): builder.create(value)
    }
  }
}

private struct Row: FlatBufferTableValue, FlatBuffersCodable {
  var cells: [Wide] = []
  var unions: [WideOrText] = []

  static let flatBuffersSchemaVersion: String? = nil
  static let flatBufferLayout: TableLayout = TableLayout(
    "Row",
    fields: [
      .vector("cells", 4, of: .table { Wide.flatBufferLayout }),
      .vector("unions", 8, of: .union { WideOrText.flatBufferLayout }),
    ])

  init(cells: [Wide] = [], unions: [WideOrText] = []) {
    self.cells = cells
    self.unions = unions
  }

  /// Not read here.
  init(_ table: FlatBufferTable) {}

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let cells = builder.create(nonEmpty: cells)
    let kinds = builder.create(nonEmptyKinds: unions)
    let unions = builder.create(nonEmpty: unions)
    builder.startTable(slots: 3)
    builder.add(cells, at: 4)
    builder.add(kinds, at: 6)
    builder.add(unions, at: 8)
    return builder.endTable()
  }
}
