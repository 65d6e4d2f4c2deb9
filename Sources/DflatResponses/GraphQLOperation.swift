public import DflatEntities

/// An operation that `dflatc graphql` has read. Generated code conforms to it.
///
/// The result is decoded from the plain JSON that a server sends, and stored in one call:
///
///     let request = GraphQLRequest(HeroQuery.self, variables: ["id": "1000"])
///     let body = try JSONEncoder().encode(request)                                 // POST it to the server
///     let response = try JSONDecoder().decode(GraphQLResponse<HeroQuery>.self, from: answer)
///     let stored = try await response.result().store(in: workspace)
///     print(stored.new(Character.self).count)
public protocol GraphQLOperation {
  /// The result: the `data` of a response.
  associatedtype Data: Decodable, Sendable

  /// The operation's name in its document; nil if it has none.
  static var operationName: String? { get }
  /// The text for the server: the operation and the fragments that it uses, with the keys and type names that storing
  /// needs.
  static var document: String { get }
}

/// A part of a response that has objects of entities, itself or further inside. Generated code conforms to it.
///
/// Storing writes only the fields that the operation selects. Others keep what an earlier response stored. A field that
/// is null in the response becomes null in the object; one that the response doesn't have, because of a type condition
/// or `@include`, keeps its value.
public protocol StorableResponse: Decodable, Sendable {
  /// The entities of the objects, which a transaction has to declare.
  static var entityTypes: [Any.Type] { get }

  /// Stores the objects; ``store(in:)-(TransactionContext)`` calls it. Blocks the calling thread while it reads and writes
  /// the file.
  ///
  /// - Throws: The errors of `TransactionContext.submit(_:)`.
  func store(in writer: ResponseWriter) throws
}

extension StorableResponse {
  /// Stores the objects in a transaction, which has declared ``entityTypes``.
  ///
  ///     try workspace.transactAndWait(HeroQuery.Data.entityTypes) { txn in
  ///       try data.store(in: txn)
  ///     }
  ///
  /// Call it in the transaction's closure, on its thread, which it blocks while it reads and writes the file.
  ///
  /// - Returns: The objects as they are stored now.
  /// - Throws: The errors of `TransactionContext.submit(_:)`. The objects before the one with the error stay in the
  ///   transaction; let the error out of its closure to undo them.
  @discardableResult
  public func store(in transaction: TransactionContext) throws -> StoredObjects {
    let writer = ResponseWriter(transaction)
    try store(in: writer)
    return writer.objects
  }

  /// Stores all objects in one transaction.
  ///
  /// - Returns: The objects as they are stored now.
  /// - Throws: The errors of `SQLiteWorkspace.transact`. Nothing is stored then.
  @discardableResult
  public func store(in workspace: SQLiteWorkspace) async throws -> StoredObjects {
    try await workspace.transact(Self.entityTypes) { try store(in: $0) }
  }
}
