import DflatBuffers
import DflatEntities
import GoldenModels

/// One version of the schema of `Item`, as a program has it.
protocol ItemSchema: Sendable {
  /// 1, 2 or 3. Determines the fields, the colors and the members of the union.
  static var version: Int { get }
  static var entity: EntityDescription { get }
}

/// An object of the table `evolving_item`, as a program with the schema `S` reads and writes it: what generated code would
/// be, for several schemas at once.
///
///     V1: key, count (5), color (red, green), content (Text), old
///     V2: count is renamed; color + blue; content + Image; old is deprecated; rating and serial (7) are new
///     V3: color + black; content + a string; code is new; serial is deprecated
final class Item<S: ItemSchema>: Atom {
  typealias _Builder = ItemBuilder<S>

  let fields: ItemFields<S>
  let _identity: EntityIdentity

  init(_ fields: ItemFields<S>, identity: EntityIdentity = .unsaved) {
    self.fields = fields
    _identity = identity
  }

  convenience init(_ key: String, _ change: (inout ItemFields<S>) -> Void = { _ in }) {
    var fields = ItemFields<S>()
    fields.key = key
    change(&fields)
    self.init(fields)
  }

  static func == (lhs: Item, rhs: Item) -> Bool { lhs.fields == rhs.fields }
  func hash(into hasher: inout Hasher) { hasher.combine(fields) }

  static var _entity: EntityDescription { S.entity }
  static var flatBuffersSchemaVersion: String? { nil }
  static var flatBufferLayout: TableLayout { itemLayout }

  convenience init(_ table: FlatBufferTable) throws(FlatBufferError) { try self.init(table, identity: .unsaved) }

  init(_ table: FlatBufferTable, identity: EntityIdentity) throws(FlatBufferError) {
    var fields = ItemFields<S>()
    fields.key = try table.required(table.string(4), 4)
    fields.count = try table.scalar(6, default: 5)
    let color: Int8 = try table.scalar(8, default: 0)
    fields.color = color <= S.version ? color : 0
    fields.content = try table.union(12)
    if S.version == 1 { fields.old = try table.string(14) }
    if S.version >= 2 { fields.rating = try table.scalar(16) }
    if S.version == 2 { fields.serial = try table.scalar(18, default: 7) }
    if S.version >= 3 { fields.code = try table.string(20) }
    self.fields = fields
    _identity = identity
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let key = builder.create(fields.key)
    let content = builder.create(fields.content)
    let old = builder.create(S.version == 1 ? fields.old : nil)
    let code = builder.create(S.version >= 3 ? fields.code : nil)
    builder.startTable(slots: 9)
    builder.add(key, at: 4)
    builder.add(fields.count, at: 6, default: 5)
    builder.add(fields.color, at: 8, default: 0)
    builder.add(fields.content?.flatBufferKind ?? 0, at: 10, default: 0)
    builder.add(content, at: 12)
    builder.add(old, at: 14)
    if S.version >= 2 { builder.add(fields.rating, at: 16) }
    if S.version == 2 { builder.add(fields.serial, at: 18, default: 7) }
    builder.add(code, at: 20)
    return builder.endTable()
  }
}

/// The common layout for the verifier: each schema reads the objects that the others wrote.
private let itemLayout = TableLayout(
  "Item",
  fields: [
    .string("key", 4, required: true), .scalar("count", 6, Int32.self), .scalar("color", 8, Int8.self),
    .union("content", 12) {
      UnionLayout(
        "Content",
        members: [
          1: .table { Golden.Evolution.V3.Text.flatBufferLayout },
          2: .table { Golden.Evolution.V3.Image.flatBufferLayout }, 3: .string,
        ])
    },
    .string("old", 14), .scalar("rating", 16, Double.self), .scalar("serial", 18, UInt64.self), .string("code", 20),
  ])

struct ItemFields<S: ItemSchema>: Hashable {
  var key = ""
  var count: Int32 = 5
  var color: Int8 = 0
  var content: ItemContent<S>?
  var old: String?
  var rating: Double?
  var serial: UInt64 = 7
  var code: String?
}

@dynamicMemberLookup
struct ItemBuilder<S: ItemSchema>: EntityBuilder {
  var fields: ItemFields<S>

  init() { fields = ItemFields() }
  init(from object: Item<S>) { fields = object.fields }
  func build(identity: EntityIdentity) -> Item<S> { Item(fields, identity: identity) }

  subscript<Value>(dynamicMember path: WritableKeyPath<ItemFields<S>, Value>) -> Value {
    get { fields[keyPath: path] }
    set { fields[keyPath: path] = newValue }
  }
}

enum ItemContent<S: ItemSchema>: FlatBufferUnion, Hashable {
  case text(String)
  case image(String)
  case caption(String)

  static var flatBufferLayout: UnionLayout { Golden.Evolution.V3.Content.flatBufferLayout }

  init?(kind: UInt8, _ member: FlatBufferUnionMember) throws(FlatBufferError) {
    switch kind {
    case 1:
      let text: Golden.Evolution.V3.Text = try member.table()
      self = .text(text.text ?? "")
    case 2 where S.version >= 2:
      let image: Golden.Evolution.V3.Image = try member.table()
      self = .image(image.url ?? "")
    case 3 where S.version >= 3: self = .caption(try member.string())
    default: return nil
    }
  }

  var flatBufferKind: UInt8 {
    switch self {
    case .text: 1
    case .image: 2
    case .caption: 3
    }
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    switch self {
    case .text(let text): builder.create(Golden.Evolution.V3.Text(text: text))
    case .image(let url): builder.create(Golden.Evolution.V3.Image(url: url))
    case .caption(let text): builder.create(text)
    }
  }
}
