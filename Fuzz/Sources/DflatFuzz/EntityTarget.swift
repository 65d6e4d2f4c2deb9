import DflatBuffers
import DflatSupport
import Foundation

@testable import DflatEntities
@testable import DflatSQLite

/// Tests an index definition, whose length is in the first byte, and the payload of a row after it.
///
/// Reading a field of an unverified payload returns a value, which a column stores unchanged, or throws an error. For a
/// valid object, its keys, indexes and predicates agree with its fields.
func testEntity(_ bytes: UnsafeRawBufferPointer) {
  guard let count = bytes.first.map(Int.init), bytes.count > count else { return }
  let definition = String(decoding: bytes[1..<(1 + count)], as: UTF8.self)
  let payload = UnsafeRawBufferPointer(rebasing: bytes[(1 + count)...])
  withHeapCopy(of: payload, offset: count % 8) { payload in
    for path in checkDefinition(definition) { checkColumn(of: path, payload) }
    if let row = try? Row.stored(in: payload, .unsaved) { check(row, payload) }
  }
}

/// Returns the paths of a valid definition, and checks that its text form parses to the same paths.
private func checkDefinition(_ definition: String) -> [FieldPath] {
  guard let paths = IndexPaths(definition: definition) else { return [] }
  let text = paths.definition
  let again = IndexPaths(definition: text)
  require(again?.definition.hasSameBytes(as: text) == true, "\(text) is another definition when it is written")
  require(
    again?.name == paths.name && again?.fields.map(\.type) == paths.fields.map(\.type),
    "\(text) leads elsewhere when it was written")
  require(
    FieldPath(definition: text) == nil || paths.fields.count == 1, "\(text) is also the definition of a single field")
  return paths.fields
}

// MARK: Columns

private func checkColumn(of path: FieldPath, _ payload: UnsafeRawBufferPointer) {
  guard let root = try? FlatBufferTable(rootOf: payload) else { return }
  let reader = PathReader(storedBy: path)
  _ = try? PathReader(path).value(in: root)
  // Text is bound exactly as the payload contains it, valid UTF-8 or not.
  guard let value = try? reader.value(in: root) else {
    _ = try? ColumnValue.bind(reader, of: root, to: column, at: 1)
    return
  }
  attempt { try ColumnValue.bind(reader, of: root, to: column, at: 1) }
  let stored = attempt { try column.firstRow { ColumnValue.read(path.type, from: $0, at: 0) } }
  guard let stored, let stored else { fatalError("\(value) of \(path.definition) can't be read from its column") }
  require(isSame(stored, value), "\(value) of \(path.definition) is \(stored) in its column")
}

private func isSame(_ a: QueryValue, _ b: QueryValue) -> Bool {
  if case .real(let a) = a, case .real(let b) = b { return a == b || a.isNaN && b.isNaN }
  return a == b
}

// MARK: Objects

typealias Row = Fuzz.Row

private func check(_ row: Row, _ payload: UnsafeRawBufferPointer) {
  let fields: [(FieldPath, QueryValue)] = [
    (Row.id.field.path, .unsigned(row.id)), (Row.name.field.path, .text(row.name)),
    (Row.mail.field.path, row.mail.map { .text($0) } ?? .null),
    (Row.card.field.path, row.card.map { .integer(Int64($0)) } ?? .null),
    (Row.balance.field.path, .real(row.balance)), (Row.ratio.field.path, .real(Double(row.ratio))),
    (Row.color.field.path, .integer(Int64(row.color.rawValue))), (Row.size.field.path, .integer(Int64(row.size))),
    (Row.ok.field.path, .integer(row.ok ? 1 : 0)),
  ]
  for (path, expected) in fields {
    let value = attempt { try path.value(in: payload) }
    require(isSame(value, expected), "\(path.definition) is \(value) in the bytes, and \(expected) in the object")
    checkColumn(of: path, payload)
  }
  let key = attempt { try EntityRows.key(in: payload, of: Row._entity) }
  require(key == [.unsigned(row.id), .text(row.name)], "the key of \(row.id), \(row.name) is \(key)")
  for (predicate, isTrue) in predicates {
    let matches = attempt { try predicate.matches(payload) }
    require(matches == isTrue(row), "a predicate is \(matches) of the bytes, and not of the object")
  }
  for order in orders { _ = attempt { try order.key(of: payload, rowid: 1) } }
}

/// Predicates on bytes, each with the equivalent condition on objects.
private let predicates: [(CompiledPredicate, @Sendable (Row) -> Bool)] = [
  (CompiledPredicate((Row.balance > 3 && Row.mail.isNotNull)._expression.node), { $0.balance > 3 && $0.mail != nil }),
  (CompiledPredicate((Row.id <= 1 << 63 || !Row.ok)._expression.node), { $0.id <= 1 << 63 || !$0.ok }),
  (
    CompiledPredicate((Row.mail == "row" || Row.size == 7)._expression.node),
    { $0.mail?.hasSameBytes(as: "row") == true || $0.size == 7 }
  ),
  (
    CompiledPredicate(Row.name.contains("ow")._expression.node),
    { row in
      let name = Array(row.name.utf8)
      return name.indices.contains { name[$0...].starts(with: "ow".utf8) }
    }
  ),
  (
    CompiledPredicate(Row.name.hasSuffix("W\u{c9}", ignoringCase: true)._expression.node),
    { $0.name.lowercased().utf8.reversed().starts(with: "w\u{e9}".utf8.reversed()) }
  ),
  (
    CompiledPredicate(Row.mail.equals("ROW", ignoringCase: true)._expression.node),
    { $0.mail.map { $0.lowercased().hasSameBytes(as: "row") } ?? false }
  ),
  (CompiledPredicate(Row.card.in([1, 2, -1])._expression.node), { $0.card.map { [1, 2, -1].contains($0) } ?? false }),
  (CompiledPredicate((Row.ratio < 0.5)._expression.node), { $0.ratio < 0.5 }),
  (
    CompiledPredicate((Row.color >= .green && Row.card > 0)._expression.node),
    { row in row.color >= .green && row.card.map { $0 > 0 } ?? false }
  ),
]

private let orders = [
  SortKeyReader([Row.mail.ascending.order, Row.balance.descending.order]), SortKeyReader([Row.ratio.ascending.order]),
]
