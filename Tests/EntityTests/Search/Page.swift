import DflatBuffers
import DflatEntities

/// One version of the schema of `Page`, as a program has it.
protocol PageSchema: Sendable {
  static var entity: EntityDescription { get }
}

/// An object of the table `page`, as programs with different searchable fields read and write it: what generated code
/// would be, for several schemas at once.
final class Page<S: PageSchema>: Atom {
  typealias _Builder = PageBuilder<S>

  let fields: PageFields
  let _identity: EntityIdentity

  init(_ fields: PageFields, identity: EntityIdentity = .unsaved) {
    self.fields = fields
    _identity = identity
  }

  convenience init(_ key: String, _ title: String? = nil, _ body: String? = nil) {
    self.init(PageFields(key: key, title: title, body: body))
  }

  static func == (lhs: Page, rhs: Page) -> Bool { lhs.fields == rhs.fields }
  func hash(into hasher: inout Hasher) { hasher.combine(fields) }

  static var _entity: EntityDescription { S.entity }
  static var flatBuffersSchemaVersion: String? { nil }
  static var flatBufferLayout: TableLayout { pageLayout }

  convenience init(_ table: FlatBufferTable) throws(FlatBufferError) { try self.init(table, identity: .unsaved) }

  init(_ table: FlatBufferTable, identity: EntityIdentity) throws(FlatBufferError) {
    var fields = PageFields()
    fields.key = try table.required(table.string(4), 4)
    fields.title = try table.string(6)
    fields.body = try table.string(8)
    self.fields = fields
    _identity = identity
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let key = builder.create(fields.key)
    let title = builder.create(fields.title)
    let body = builder.create(fields.body)
    builder.startTable(slots: 3)
    builder.add(body, at: 8)
    builder.add(title, at: 6)
    builder.add(key, at: 4)
    return builder.endTable()
  }
}

private let pageLayout = TableLayout(
  "Page", fields: [.string("key", 4, required: true), .string("title", 6), .string("body", 8)])

struct PageFields: Hashable {
  var key = ""
  var title: String?
  var body: String?
}

struct PageBuilder<S: PageSchema>: EntityBuilder {
  var fields: PageFields

  init() { fields = PageFields() }
  init(from object: Page<S>) { fields = object.fields }
  func build(identity: EntityIdentity) -> Page<S> { Page(fields, identity: identity) }
}

/// The fields in queries, with the same names for every version.
extension Page {
  static var key: FieldExpr<String, Page> { .init(PagePath.key, key: 0) }
  static var title: FieldExpr<String, Page> { .init(PagePath.title) }
  static var body: FieldExpr<String, Page> { .init(PagePath.body) }
  /// A field of this name, beside the search in all fields.
  static var matches: FieldExpr<String, Page> { .init(PagePath.title) }
}

enum PagePath {
  static let key = FieldPath(.string(4))
  static let title = FieldPath(.string(6))
  static let body = FieldPath(.string(8))

  static func entity(_ searchable: [EntityField]) -> EntityDescription {
    EntityDescription("page", primaryKey: [.init("key", key)], searchable: searchable)
  }
}

/// A program whose schema has no searchable fields.
enum Unsearched: PageSchema {
  static let entity = PagePath.entity([])
}

/// A program whose schema has one searchable field.
enum TitleOnly: PageSchema {
  static let entity = PagePath.entity([.init("title", PagePath.title)])
}

/// A program whose schema has two of them.
enum TitleAndBody: PageSchema {
  static let entity = PagePath.entity([.init("title", PagePath.title), .init("body", PagePath.body)])
}
