import Foundation

@testable import DflatCore
@testable import DflatEntities
@testable import DflatKV
@testable import DflatSQLite

/// Tests arbitrary bytes as a commit's entry in the change log, and as a record of each kind. Another process decodes
/// them or drops its cache, and a decoded record is the same after it is written again. The last eight bytes also serve
/// as a commit number.
func testRecord(_ bytes: UnsafeRawBufferPointer) {
  let changes = [UInt8](bytes)
  for kind in [ChangeRecord.kind, EntityRecord.kind] {
    if case .found(let reader) = RecordReader.record(of: kind, in: changes) { check(reader, changes.count) }
  }
  check(RecordReader(changes), changes.count)
  // Check only some inputs, because an error costs more than a record.
  if changes.count >= 8, changes.count % 8 < 2 { checkCommitNumber(changes) }
}

/// Checks that the number of a commit and its successor can be read, and that all other numbers are refused.
private func checkCommitNumber(_ changes: [UInt8]) {
  let bits = changes.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
  let number = Int64(bitPattern: bits)
  if changes.count % 8 == 0 { column.bind(number, at: 1) } else { column.bind(Double(bitPattern: bits), at: 1) }
  do {
    let read = try column.firstRow { try CommitNumber.read(0, of: $0, in: "dflat_log") }
    require(read.flatMap { Int64(exactly: $0) } == number, "the commit number \(number) is read as \(read as Any)")
    let next = try CommitNumber.next(after: UInt64(number), path: "a.db")
    column.bind(Int64(next), at: 1)
    require(
      attempt { try column.firstRow { try CommitNumber.read(0, of: $0, in: "dflat_log") } } == next,
      "the commit after \(number) can't be read")
  } catch {
    require((error as? WorkspaceError)?.code == .corrupt, "\(number) is refused with \(error)")
  }
}

private func check(_ reader: RecordReader, _ size: Int) {
  if let members = ChangeRecord.decode(reader) { checkRewriting(of: members, size) }
  if let tables = EntityRecord.decode(reader) { checkRewriting(of: tables) }
}

// MARK: Dictionary

private func checkRewriting(of members: [[ChangeRecord.Change]], _ size: Int) {
  let names = NamespaceTable()
  var operations: [MemberChanges] = []
  for member in members {
    var changes: [DflatKV.Operation] = []
    for change in member {
      guard let operation = operation(change, names) else { return }
      changes.append(operation)
    }
    operations.append(changes[...])
  }
  // Longer records leave out values. Each invalid UTF-8 byte becomes three bytes.
  guard size * 3 <= ChangeRecord.capacity else { return }
  let bytes = ChangeRecord.encode(operations, names: names.name)
  guard let again = ChangeRecord.decode(RecordReader(bytes)) else { fatalError("what was written is not understood") }
  require(
    again.map { $0.map(described) } == members.map { $0.map(described) }, "the record changed: \(members), \(again)")
}

/// Returns nil for a change that no operation writes.
private func operation(_ change: ChangeRecord.Change, _ names: NamespaceTable) -> DflatKV.Operation? {
  switch change {
  case .set(let namespace, let key, let value):
    guard value.byteCount <= ChangeRecord.inlineLimit else { return nil }
    return .set(HashedKey(key, namespace: names.retain(namespace).number), value)
  case .remove(let namespace, let key): return .set(HashedKey(key, namespace: names.retain(namespace).number), .absent)
  case .expire(let namespace, let key): return .expire(HashedKey(key, namespace: names.retain(namespace).number))
  case .reload(let namespace, let key): return .keep(HashedKey(key, namespace: names.retain(namespace).number), nil)
  case .removePrefix(let namespace, let prefix):
    return .removePrefix(PrefixRange(namespace: names.retain(namespace).number, prefix: prefix))
  case .unknown: return nil
  }
}

/// Returns text that differs for different changes.
private func described(_ change: ChangeRecord.Change) -> [UInt8] {
  let text =
    switch change {
    case .set(let namespace, let key, let value): "set \(namespace)\0\(key)\0\(bits(of: value))"
    case .remove(let namespace, let key): "remove \(namespace)\0\(key)"
    case .expire(let namespace, let key): "expire \(namespace)\0\(key)"
    case .reload(let namespace, let key): "reload \(namespace)\0\(key)"
    case .removePrefix(let namespace, let prefix): "clear \(namespace)\0\(prefix)"
    case .unknown(let namespace): "unknown \(namespace)"
    }
  return Array(text.utf8)
}

private func bits(of value: CachedValue) -> String {
  if let expiration = value.expiration { return "until \(expiration.milliseconds) \(bits(of: value.lasting))" }
  return switch value.stored {
  case .float(let value): "float \(value.bitPattern)"
  case .double(let value): "double \(value.bitPattern)"
  case .data(let data): "data \(Array(data))"
  case .propertyList(let data): "plist \(Array(data))"
  case .flatBuffers(let data, let version): "flatbuffers \(Array(data)) \(version ?? "none")"
  case .sealed(let envelope): "sealed \(Array(envelope))"
  case let other: "\(String(describing: other))"
  }
}

// MARK: Entities

private func checkRewriting(of tables: [EntityRecord.Table]) {
  let parts = tables.map { EntityRecord.encode([$0]) }
  let bytes = EntityRecord.encode(tables)
  require(bytes.count <= EntityRecord.capacity, "a record of \(bytes.count) bytes")
  // A longer record leaves out rows or tables.
  guard parts.reduce(0, { $0 + $1.count }) <= EntityRecord.capacity else { return }
  guard let again = EntityRecord.decode(RecordReader(bytes)) else { fatalError("what was written is not understood") }
  let written = again.map { EntityRecord.encode([$0]) }
  require(
    written.sorted { $0.lexicographicallyPrecedes($1) } == parts.sorted { $0.lexicographicallyPrecedes($1) },
    "the record changed: \(tables), \(again)")
}
