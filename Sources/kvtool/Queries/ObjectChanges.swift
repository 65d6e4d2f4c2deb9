import DflatBuffers
import DflatEntities
import DflatKV
import DflatSupport

/// Changes objects of a type in a transaction that has declared the type.
struct ObjectChanges {
  private let type: StoredType
  private let transaction: TransactionContext
  private let writer: DescribedWriter

  init(_ type: StoredType, in transaction: TransactionContext) throws {
    self.type = type
    self.transaction = transaction
    writer = try DescribedWriter(type.described, in: transaction)
  }

  /// Changes the objects for which a condition is true, or all without one. Returns their number.
  func update(_ syntax: PredicateSyntax?, setting changes: JSONObject) throws -> Int {
    try Self.requireFields(changes, of: type)
    let query = DescribedQuery(type.described, where: try syntax?.resolved(for: type))
    // Read all of them first: a change may affect which other objects match.
    let found = try query.objects(in: transaction) { rowid, bytes in
      (rowid: rowid, bytes: Array(bytes), json: try type.flatBuffers.json(bytes, keepingNestedBuffers: true))
    }
    for object in found {
      guard case .object(let old) = object.json else { continue }
      let changed = old.setting(changes)
      // By the texts: zeros of both signs are equal.
      if JSONWriter.string(.object(changed)).hasSameBytes(as: JSONWriter.string(object.json)) { continue }
      // The vectors of other fields stay in their order.
      let new = try Self.reporting(type) { () throws(FlatBufferJSONFailure) in
        try type.flatBuffers.verifiedBytes(.object(changed)) { changes[$0] != nil }
      }
      if new == object.bytes { continue }
      try new.withUnsafeBytes { try writer.update(object.rowid, from: object.bytes, to: $0) }
    }
    return found.count
  }

  /// Deletes the objects for which a condition is true, or all without one. Returns their number.
  func delete(_ syntax: PredicateSyntax?) throws -> Int {
    let query = DescribedQuery(type.described, where: try syntax?.resolved(for: type))
    let rowids = try query.objects(in: transaction) { rowid, _ in rowid }
    for rowid in rowids { try writer.delete(rowid) }
    return rowids.count
  }

  /// Inserts objects.
  ///
  /// - Parameter replaces: True to replace objects with the same primary keys.
  func insert(_ objects: [JSONValue], replacing replaces: Bool) throws {
    for (index, object) in objects.enumerated() {
      let place = objects.count == 1 ? nil : "object \(index + 1)"
      let bytes = try Self.reporting(type, place) { () throws(FlatBufferJSONFailure) in
        try type.flatBuffers.verifiedBytes(object)
      }
      do { try bytes.withUnsafeBytes { try replaces ? writer.upsert($0) : writer.insert($0) } } catch let error
        as WorkspaceError where error.code == .objectAlreadyExists
      {
        throw conflict(error, place, replacing: replaces)
      }
    }
  }

  /// Returns the error about an object that exists, with the place of the new one.
  private func conflict(_ error: WorkspaceError, _ place: String?, replacing replaces: Bool) -> ToolError {
    let conflict = ToolError(error)
    let key = type.entity.primaryKey.map(\.name).joined(separator: ", ")
    // With a unique value of another object, an object isn't replaced.
    let isOfKey = error.field?.hasSameBytes(as: key) ?? false
    let message =
      isOfKey && !replaces
      ? conflict.message.replacing("change that one", with: "replace that one with --replace") : conflict.message
    return ToolError(conflict.status, place.map { "\(type.name), \($0): \(message)" } ?? message)
  }

  /// Throws unless the names are those of fields, or of unions' kinds. Null for a name that isn't one would else go
  /// unnoticed.
  private static func requireFields(_ changes: JSONObject, of type: StoredType) throws {
    let names = type.definition.memberNames
    for member in changes.members where !names.contains(where: { $0.hasSameBytes(as: member.name) }) {
      let failure = FlatBufferJSONFailure.unknownField(member.name, in: type.definition.name, fields: names)
      throw ToolError(.usage, failure.message)
    }
  }

  /// Names the type in the failure of a conversion, and the object, if it is one of several.
  private static func reporting<Result>(
    _ type: StoredType, _ place: String? = nil, _ body: () throws(FlatBufferJSONFailure) -> Result
  ) throws -> Result {
    do throws(FlatBufferJSONFailure) { return try body() } catch {
      // A failure of the whole object says itself what it should be.
      let typeName = error.isOfWhole ? nil : type.name
      let places = [typeName, place].compactMap { $0 }.joined(separator: ", ")
      throw ToolError(
        error.isOfUnknownField ? .usage : .otherError, places.isEmpty ? error.message : "\(places): \(error.message)")
    }
  }
}

extension JSONObject {
  /// Returns the object with other values of some members. Null removes a member.
  fileprivate func setting(_ changes: JSONObject) -> JSONObject {
    let kept = members.compactMap { member -> Member? in
      guard let value = changes[member.name] else { return member }
      return value == .null ? nil : Member(name: member.name, value: value)
    }
    return JSONObject(inOrder: kept + changes.members.filter { self[$0.name] == nil && $0.value != .null })
  }
}
