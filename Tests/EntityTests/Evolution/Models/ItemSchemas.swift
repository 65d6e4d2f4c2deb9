import DflatEntities

/// The paths of the fields of `Item` in every version.
enum ItemPath {
  static let key = FieldPath(.string(4))
  static let count = FieldPath(.scalar(6, .int32, default: .integer(5)))
  static let text = FieldPath([.union(12, kind: 1)], .string(4))
  static let caption = FieldPath(.unionString(12, kind: 3))
  static let old = FieldPath(.string(14))
  static let rating = FieldPath(.scalar(16, .double, default: .null))
  static let serial = FieldPath(.scalar(18, .uint64, default: .unsigned(7)))
  static let code = FieldPath(.string(20))

  static func color(_ version: Int) -> FieldPath {
    FieldPath(.enumeration(8, .int8, default: .integer(0), known: (0...version).map { .integer(Int64($0)) }))
  }

  static func kind(_ version: Int) -> FieldPath { FieldPath(.kind(12, known: (1...version).map { UInt8($0) })) }

  static func entity(_ indexes: [EntityIndex], schema: String? = nil) -> EntityDescription {
    EntityDescription("evolving_item", primaryKey: [.init("key", key)], indexes: indexes, schema: schema)
  }
}

enum V1: ItemSchema {
  static let version = 1
  static let entity = ItemPath.entity([.init("count", ItemPath.count), .init("old", ItemPath.old)])
}

enum V2: ItemSchema {
  static let version = 2
  static let entity = ItemPath.entity([
    .init("amount", ItemPath.count), .init("color", ItemPath.color(2)), .init("content._type", ItemPath.kind(2)),
    .init("content.as(Text.self).text", ItemPath.text), .init("rating", ItemPath.rating),
    .init("serial", ItemPath.serial),
  ])
}

enum V3: ItemSchema {
  static let version = 3
  static let entity = ItemPath.entity([
    .init("color", ItemPath.color(3)), .init("content._type", ItemPath.kind(3)),
    .init("content.as(String.self)", ItemPath.caption), .init("rating", ItemPath.rating),
    .init("code", ItemPath.code, isUnique: true),
  ])
}

/// As V3, with indexes over several fields.
enum V3Pairs: ItemSchema {
  static let version = 3
  static let entity = ItemPath.entity([
    EntityIndex([.init("color", ItemPath.color(3)), .init("rating", ItemPath.rating)]),
    EntityIndex([.init("count", ItemPath.count), .init("code", ItemPath.code)]),
    EntityIndex([
      .init("content._type", ItemPath.kind(3)), .init("count", ItemPath.count), .init("rating", ItemPath.rating),
    ]),
  ])
}

/// As V3, with indexes over several fields that must be unique.
enum V3UniquePairs: ItemSchema {
  static let version = 3
  static let entity = ItemPath.entity([
    EntityIndex([.init("count", ItemPath.count), .init("code", ItemPath.code)], isUnique: true),
    EntityIndex([.init("rating", ItemPath.rating), .init("code", ItemPath.code)], isUnique: true),
  ])
}

/// As V3, before `code` was to be unique.
enum V3Loose: ItemSchema {
  static let version = 3
  static let entity = ItemPath.entity([.init("code", ItemPath.code)])
}

/// As V3, but `code` has a default, so its values differ from those of the index that other programs made.
enum V3Other: ItemSchema {
  static let version = 3
  static let entity = ItemPath.entity([
    .init("code", FieldPath(.string(20, default: "none")), isUnique: true)
  ])
}

/// The fields in queries, with the same names for every version.
extension Item {
  static var key: FieldExpr<String, Item> { .init(ItemPath.key, key: 0) }
  static var count: FieldExpr<Int32, Item> { .init(ItemPath.count) }
  static var color: FieldExpr<Int8, Item> { .init(ItemPath.color(S.version)) }
  static var kind: FieldExpr<Int32, Item> { .init(ItemPath.kind(S.version)) }
  static var text: FieldExpr<String, Item> { .init(ItemPath.text) }
  static var caption: FieldExpr<String, Item> { .init(ItemPath.caption) }
  static var old: FieldExpr<String, Item> { .init(ItemPath.old) }
  static var rating: FieldExpr<Double, Item> { .init(ItemPath.rating) }
  static var serial: FieldExpr<UInt64, Item> { .init(ItemPath.serial) }
  static var code: FieldExpr<String, Item> { .init(ItemPath.code) }
}
