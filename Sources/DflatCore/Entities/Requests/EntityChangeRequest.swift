/// What a request is to do.
enum ChangeIntent {
  case creation
  /// A change of the object, of which these bytes were stored after so many submissions of the transaction to its table.
  case change(StoredBytes, since: Int)
  case upsert(EntityIdentity)
  case deletion(rowid: Int64)
  /// What was wrong when the request was made.
  indirect case nothing(because: WorkspaceError)
}

/// The bytes of a stored object.
struct StoredBytes {
  let bytes: [UInt8]
  /// True when they are those that this schema writes of the object; another version of it may have written others.
  let areOfThisSchema: Bool

  init(_ bytes: [UInt8], areOfThisSchema: Bool) {
    self.bytes = bytes
    self.areOfThisSchema = areOfThisSchema
  }
}

/// What generated change requests inherit: a change of one object, whose fields are set before it is submitted.
///
///     workspace.performChanges([Post.self]) { txn in
///       let request = PostChangeRequest.creationRequest()
///       request.title = "first"
///       txn.try(submit: request)
///     }
///
/// A request belongs to the transaction in which it was made, and is submitted once; one whose submission threw may be
/// changed and submitted again. ``creationRequest()`` and ``creationRequest(_:)`` alone may be called anywhere. The
/// others, called outside a transaction's closure, or in one that did not declare the type, make a request whose
/// submission throws `.invalidRequest` or `.undeclaredType`.
///
/// **Two requests for one object.** Each submission takes effect at once, on what the submissions before it have left.
/// A change request replaces every field, so it throws `.outdatedRequest`, and writes nothing, if another submission
/// changed its object after it was made: of two change requests made side by side the first that is submitted wins; made
/// one after the other's submission they combine. An upsert looks for its object when it is submitted and replaces
/// whatever is there. A deletion deletes whatever the object has become. For an object that was deleted since,
/// a change and a deletion throw `.objectNotFound`.
///
/// Requests are used on one thread, as their transaction is.
open class EntityChangeRequest<Element: Atom>: ChangeRequest {
  // What has the same size for every type comes first: its place in the object is known to the compiler then.
  final var intent = ChangeIntent.creation
  /// The transaction that it was made in. A creation has none.
  final var transaction: TransactionContext?
  private final var isSubmitted = false
  /// The object that a change is of, as it was when the request was made.
  final var stored: Element?

  /// The fields as they will be.
  public final var _values: Element._Builder

  /// A request to insert an object with these fields.
  public required init(_values: Element._Builder) { self._values = _values }

  /// Carries the request out; `submit` calls it.
  public final func _submit(to transaction: TransactionContext) throws -> UpdatedObject<Element> {
    try check(transaction)
    let writing = try EntityWriting<Element>(transaction)
    let updated: UpdatedObject<Element>
    switch intent {
    case .creation: updated = .inserted(try writing.insert(_values))
    case .change(let payload, let stamp):
      guard let stored else { preconditionFailure("A request to change an object has the object.") }
      updated = try writing.update(stored, payload, since: stamp, to: _values)
    case .upsert(let identity): updated = try writing.upsert(identity, _values)
    case .deletion(let rowid):
      try writing.delete(rowid)
      updated = .deleted(rowid)
    case .nothing(let error): throw error
    }
    isSubmitted = true
    return updated
  }

  /// Throws what was wrong when the request was made.
  final func requireValid() throws {
    if case .nothing(let error) = intent { throw error }
  }

  private func check(_ transaction: TransactionContext) throws {
    try requireValid()
    if isSubmitted {
      let path = transaction.core.path
      throw WorkspaceError(
        .invalidRequest, "A request for a \(Element.self) was submitted to '\(path)' twice; make another one.",
        path: path)
    }
    if let owner = self.transaction, owner !== transaction {
      let path = transaction.core.path
      throw WorkspaceError(
        .invalidRequest,
        "A request for a \(Element.self) was submitted in another transaction than it was made in; make it in the closure "
          + "that submits it.", path: path)
    }
  }
}
