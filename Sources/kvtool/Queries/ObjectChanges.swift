import DflatBuffers
import DflatEntities
import DflatKV

/// Changes objects of a type from the shell.
struct ObjectChanges {
  let database: OpenDatabase
  /// The name of the type, as the user wrote it.
  let typeName: String

  /// Runs a transaction on the type, with the schema that the file has of it.
  func transact<Result>(
    _ body: (StoredType, TransactionContext, DescribedWriter) throws -> Result
  ) throws -> Result {
    let type = try StoredType.named(typeName, in: try database.workspace.storedTables())
    return try database.workspace.transactAndWait(declaring: type.described) { transaction in
      try body(type, transaction, try DescribedWriter(type.described, in: transaction))
    }
  }

  /// Changes the objects for which a condition is true, or all without one. Returns their number.
  func update(_ syntax: PredicateSyntax?, setting changes: JSONObject) throws -> Int {
    try transact { type, transaction, writer in
      let query = DescribedQuery(type.described, where: try syntax?.resolved(for: type))
      // Read all of them first: a change may affect which other objects match.
      let found = try query.objects(in: transaction) { rowid, bytes in
        (rowid: rowid, bytes: Array(bytes), json: try type.flatBuffers.json(bytes))
      }
      for object in found {
        guard case .object(let old) = object.json else { continue }
        let new = try Self.reporting(type) { () throws(ValueFailure) in
          try type.flatBuffers.verifiedBytes(.object(old.setting(changes)))
        }
        if new == object.bytes { continue }
        try new.withUnsafeBytes { try writer.update(object.rowid, from: object.bytes, to: $0) }
      }
      return found.count
    }
  }

  /// Deletes the objects for which a condition is true, or all without one. Returns their number.
  func delete(_ syntax: PredicateSyntax?) throws -> Int {
    try transact { type, transaction, writer in
      let query = DescribedQuery(type.described, where: try syntax?.resolved(for: type))
      let rowids = try query.objects(in: transaction) { rowid, _ in rowid }
      for rowid in rowids { try writer.delete(rowid) }
      return rowids.count
    }
  }

  /// Inserts objects.
  ///
  /// - Parameter replaces: True to replace objects with the same primary keys.
  func insert(_ objects: [JSONValue], replacing replaces: Bool) throws {
    try transact { type, _, writer in
      for (index, object) in objects.enumerated() {
        let place = objects.count == 1 ? "" : ", object \(index + 1)"
        let bytes = try Self.reporting(type, place) { () throws(ValueFailure) in
          try type.flatBuffers.verifiedBytes(object)
        }
        try bytes.withUnsafeBytes { try replaces ? writer.upsert($0) : writer.insert($0) }
      }
    }
  }

  /// Names the type in the failure of a conversion.
  private static func reporting<Result>(
    _ type: StoredType, _ place: String = "", _ body: () throws(ValueFailure) -> Result
  ) throws -> Result {
    do throws(ValueFailure) { return try body() } catch {
      throw ToolError(.otherError, "\(type.name)\(place): \(error.message)")
    }
  }
}

extension JSONObject {
  /// Returns the object with other values of some members. Null removes a member.
  fileprivate func setting(_ changes: JSONObject) -> JSONObject {
    let others = members.filter { changes[$0.name] == nil }
    return JSONObject(inOrder: others + changes.members.filter { $0.value != .null })
  }
}
