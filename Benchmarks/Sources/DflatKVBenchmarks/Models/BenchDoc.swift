import DflatBuffers
import DflatCore

enum Color: Int8, FlatBufferEnum, DflatFriendlyValue, CaseIterable {
  case red = 0
  case green = 1
  case blue = 2

  static var flatBufferDefault: Color { .red }

  static func < (a: Color, b: Color) -> Bool { a.rawValue < b.rawValue }
}

struct Vec3: FlatBufferStructure, FlatBuffersCodable, Hashable {
  var x: Float
  var y: Float
  var z: Float

  init(x: Float? = 0, y: Float? = 0, z: Float? = 0) {
    self.x = x ?? 0
    self.y = y ?? 0
    self.z = z ?? 0
  }

  static var flatBuffersSchemaVersion: String? { nil }

  static let flatBufferLayout: StructLayout = StructLayout("Vec3", size: 12, alignment: 4)

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

struct TextContent: FlatBufferTableValue, FlatBuffersCodable, Hashable {
  var text: String?

  init(text: String? = nil) { self.text = text }

  static var flatBuffersSchemaVersion: String? { nil }

  static let flatBufferLayout: TableLayout = TableLayout("TextContent", fields: [.string("text", 4)])

  init(_ table: FlatBufferTable) throws(FlatBufferError) { text = try table.string(4) }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let text = builder.create(text)
    builder.startTable(slots: 1)
    builder.add(text, at: 4)
    return builder.endTable()
  }
}

struct ImageContent: FlatBufferTableValue, FlatBuffersCodable, Hashable {
  var images: [String]

  init(images: [String]? = []) { self.images = images ?? [] }

  static var flatBuffersSchemaVersion: String? { nil }

  static let flatBufferLayout: TableLayout = TableLayout(
    "ImageContent", fields: [.vector("images", 4, of: .string)])

  init(_ table: FlatBufferTable) throws(FlatBufferError) { images = try table.strings(4) ?? [] }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let images = builder.create(nonEmpty: images)
    builder.startTable(slots: 1)
    builder.add(images, at: 4)
    return builder.endTable()
  }
}

enum Content: FlatBufferUnion, FlatBuffersEncodable, Hashable {
  case textContent(TextContent)
  case imageContent(ImageContent)

  static let flatBufferLayout: UnionLayout = UnionLayout(
    "Content",
    members: [1: .table { TextContent.flatBufferLayout }, 2: .table { ImageContent.flatBufferLayout }])

  init?(kind: UInt8, _ member: FlatBufferUnionMember) throws(FlatBufferError) {
    switch kind {
    case 1: self = .textContent(try member.table())
    case 2: self = .imageContent(try member.table())
    default: return nil
    }
  }

  var flatBufferKind: UInt8 {
    switch self {
    case .textContent: 1
    case .imageContent: 2
    }
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    switch self {
    case .textContent(let member): builder.create(member)
    case .imageContent(let member): builder.create(member)
    }
  }
}

final class BenchDoc: FlatBufferTableValue, FlatBuffersCodable, Hashable, Sendable {
  let pos: Vec3?
  let color: Color
  let title: String
  let content: Content?
  let tag: String?
  let priority: Int32

  init(
    title: String, pos: Vec3? = nil, color: Color? = .red, content: Content? = nil, tag: String? = nil,
    priority: Int32? = 0
  ) {
    self.pos = pos
    self.color = color ?? .red
    self.title = title
    self.content = content
    self.tag = tag
    self.priority = priority ?? 0
  }

  static var flatBuffersSchemaVersion: String? { nil }

  static let flatBufferLayout: TableLayout = TableLayout(
    "BenchDoc",
    fields: [
      .structure("pos", 4, Vec3.flatBufferLayout), .enumeration("color", 6, Color.self),
      .string("title", 8, required: true), .union("content", 12) { Content.flatBufferLayout }, .string("tag", 14),
      .scalar("priority", 16, Int32.self),
    ])

  init(_ table: FlatBufferTable) throws(FlatBufferError) {
    pos = try table.structure(4)
    color = try table.enumeration(6, default: .red)
    title = try table.required(table.string(8), 8)
    content = try table.union(12)
    tag = try table.string(14)
    priority = try table.scalar(16, default: 0)
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let title = builder.create(title)
    let content = builder.create(content)
    let tag = builder.create(tag)
    builder.startTable(slots: 7)
    builder.add(priority, at: 16, default: 0)
    builder.add(tag, at: 14)
    builder.add(content, at: 12)
    builder.add(title, at: 8)
    builder.add(pos, at: 4)
    builder.add(self.content?.flatBufferKind ?? 0, at: 10, default: 0)
    builder.add(color, at: 6, default: .red)
    return builder.endTable()
  }

  static func == (a: BenchDoc, b: BenchDoc) -> Bool {
    a.pos == b.pos && a.color == b.color && a.title == b.title && a.content == b.content && a.tag == b.tag
      && a.priority == b.priority
  }

  func hash(into hasher: inout Hasher) { hasher.combine(title) }
}
