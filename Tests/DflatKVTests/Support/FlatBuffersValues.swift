import DflatBuffers
import DflatKV
import TestSupport

// Types as the schema compiler generates them, reduced to the parts that the tests use.

/// `table Note { title: string; stars: int = 3; tags: [string]; }`
final class Note: FlatBufferTableValue, FlatBuffersCodable, Hashable, Sendable {
  let title: String?
  let stars: Int32
  let tags: [String]

  init(title: String? = nil, stars: Int32 = 3, tags: [String] = []) {
    self.title = title
    self.stars = stars
    self.tags = tags
  }

  static var flatBuffersSchemaVersion: String? { nil }

  static let flatBufferLayout = TableLayout(
    "Note", fields: [.string("title", 4), .scalar("stars", 6, Int32.self), .vector("tags", 8, of: .string)])

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    title = try table.string(4)
    stars = try table.scalar(6, default: 3)
    tags = try table.strings(8) ?? []
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let title = builder.create(title)
    let tags = builder.create(nonEmpty: tags)
    builder.startTable(slots: 3)
    builder.add(tags, at: 8)
    builder.add(stars, at: 6, default: 3)
    builder.add(title, at: 4)
    return builder.endTable()
  }

  static func == (a: Note, b: Note) -> Bool { a.title == b.title && a.stars == b.stars && a.tags == b.tags }

  func hash(into hasher: inout Hasher) { hasher.combine(title) }
}

/// `struct Vec3 { x: float; y: float; z: float; }`
struct Vec3: FlatBufferStructure, FlatBuffersCodable, Hashable {
  var x: Float
  var y: Float
  var z: Float

  init(x: Float = 0, y: Float = 0, z: Float = 0) {
    self.x = x
    self.y = y
    self.z = z
  }

  static var flatBuffersSchemaVersion: String? { nil }

  static let flatBufferLayout = StructLayout("Vec3", size: 12, alignment: 4)

  init(_ structure: FlatBufferStruct) throws(FlatBufferError) {
    x = try structure.scalar(0)
    y = try structure.scalar(4)
    z = try structure.scalar(8)
  }

  func write(to writer: inout FlatBufferStructWriter) {
    writer.write(x, at: 0)
    writer.write(y, at: 4)
    writer.write(z, at: 8)
  }
}

/// A table with one number, to which the types below conform.
protocol NumberTable: FlatBufferTableValue, FlatBuffersCodable {
  init(number: Int32)
  var number: Int32 { get }
}

extension NumberTable {
  static var flatBuffersSchemaVersion: String? { nil }

  static var flatBufferLayout: TableLayout { numberLayout }

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    self.init(number: try table.scalar(4, default: 0))
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    builder.startTable(slots: 1)
    builder.add(number, at: 4, default: 0)
    return builder.endTable()
  }
}

private let numberLayout = TableLayout("Number", fields: [.scalar("number", 4, Int32.self)])

/// `table … (v: "1") { number: int; }`. `SecondVersion` is the next version of it.
struct FirstVersion: NumberTable, Equatable {
  var number: Int32
  static var flatBuffersSchemaVersion: String? { "1" }
}

struct SecondVersion: NumberTable, Equatable {
  var number: Int32
  static var flatBuffersSchemaVersion: String? { "2" }
}

/// A type that is both `Codable` and a FlatBuffers table.
struct Both: NumberTable, Codable, Equatable {
  var number: Int32
}

/// Calls a closure whenever it is encoded.
struct Probe: NumberTable, Equatable {
  var number: Int32
  var onEncoding: (@Sendable () -> Void)?

  init(number: Int32) { self.number = number }

  init(_ number: Int32, onEncoding: @escaping @Sendable () -> Void) {
    self.number = number
    self.onEncoding = onEncoding
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    onEncoding?()
    builder.startTable(slots: 1)
    builder.add(number, at: 4, default: 0)
    return builder.endTable()
  }

  static func == (a: Probe, b: Probe) -> Bool { a.number == b.number }
}

/// Nested tables, whose depth is limited.
struct Nested: FlatBufferTableValue, FlatBuffersCodable, Equatable {
  static let deepest = Nested(levels: FlatBufferLimits().maximumDepth)
  /// Can't be encoded.
  static let tooDeep = Nested(levels: 2 * FlatBufferLimits().maximumDepth)

  var levels: Int

  init(levels: Int) { self.levels = levels }

  static var flatBuffersSchemaVersion: String? { nil }

  static let flatBufferLayout: TableLayout = .init("Nested", fields: [.table("inner", 4) { Nested.flatBufferLayout }])

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    let inner: Nested? = try table.table(4)
    levels = 1 + (inner?.levels ?? 0)
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let inner = levels > 1 ? builder.create(Nested(levels: levels - 1)) : nil
    builder.startTable(slots: 1)
    builder.add(inner, at: 4)
    return builder.endTable()
  }
}

/// `table … { amount: double; }`
struct Amount: FlatBufferTableValue, FlatBuffersCodable, Equatable {
  var amount: Double

  init(_ amount: Double) { self.amount = amount }

  static var flatBuffersSchemaVersion: String? { nil }

  static let flatBufferLayout = TableLayout("Amount", fields: [.scalar("amount", 4, Double.self)])

  init(_ table: FlatBufferTable) throws(FlatBufferError) { amount = try table.scalar(4, default: 0) }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    builder.startTable(slots: 1)
    builder.add(amount, at: 4, default: 0)
    return builder.endTable()
  }
}
