public import DflatCore

/// The operation that a request carries out.
enum ChangeIntent {
  case creation
  /// A change of an object whose stored bytes were read after `since` changes of the transaction to its table.
  case change(StoredBytes, since: Int)
  case upsert(EntityIdentity)
  case deletion(rowid: Int64)
  /// Nothing: the request was invalid when it was made, and its submission throws the error.
  indirect case nothing(because: WorkspaceError)
}

/// A change of one object, whose fields are set before it is submitted. Generated change requests inherit from this
/// class.
///
///     workspace.performChanges([Post.self]) { txn in
///       let request = PostChangeRequest.creationRequest()
///       request.title = "first"
///       txn.try(submit: request)
///     }
///
/// A request belongs to the transaction in which it was made, and is submitted once. If the submission throws, the
/// request may be changed and submitted again. Only ``creationRequest()`` and ``creationRequest(_:)`` may be called
/// anywhere. If the others are called outside a transaction's closure, or in one that did not declare the type, the
/// submission throws `.invalidRequest` or `.undeclaredType`.
///
/// **Two requests for one object.** Each submission takes effect at once, after those before it. A change request
/// replaces every field, so it throws `.outdatedRequest`, and writes nothing, if another submission changed the object
/// after the request was made. Of two change requests made side by side, the first one submitted wins; a request made
/// after the other's submission combines with it. An upsert looks for its object when it is submitted and replaces its
/// current fields. A deletion deletes the object whatever its current fields are. If the object has been deleted, a
/// change and a deletion throw `.objectNotFound`.
///
/// **Fields of newer programs.** A request has the fields of this program's schema. If a program with a newer schema
/// has stored objects in the file, a change and an upsert keep the other fields of the stored object, and members and
/// numbers that this program's schema lacks, as far as they have a place in the new one. If that part of the stored
/// object is damaged, a change throws `.undecodable`, and an upsert replaces all of the object. An insertion has
/// nothing to keep.
///
/// Like its transaction, a request is used on one thread.
open class EntityChangeRequest<Element: Atom>: ChangeRequest {
  // Properties whose size doesn't depend on `Element` come first: the compiler then knows their offsets.
  final var intent = ChangeIntent.creation
  /// The transaction in which the request was made; nil for a creation.
  final var transaction: TransactionContext?
  private final var isSubmitted = false
  /// The object to change, as it was stored when the request was made.
  final var stored: Element?

  /// The fields that the submission stores.
  public final var _values: Element._Builder

  /// Creates a request to insert an object with these fields.
  public required init(_values: Element._Builder) { self._values = _values }

  /// Carries out the request; `submit` calls it.
  ///
  /// - Throws: The errors of ``TransactionContext/submit(_:)-(T)``.
  public final func _submit(to transaction: TransactionContext) throws -> UpdatedObject<Element> {
    try check(transaction)
    let writing = try TypedRowWriter<Element>(transaction, storage: transaction.entityStorage)
    let updated: UpdatedObject<Element>
    switch intent {
    case .creation: updated = .inserted(try writing.insert(_values))
    case .change(let payload, let changeCount):
      guard let stored else { preconditionFailure("A request to change an object must contain the object.") }
      updated = try writing.update(stored, payload, since: changeCount, to: _values)
    case .upsert(let identity): updated = try writing.upsert(identity, _values)
    case .deletion(let rowid):
      try writing.delete(rowid)
      updated = .deleted(rowid)
    case .nothing(let error): throw error
    }
    isSubmitted = true
    return updated
  }

  /// Throws the error that made the request invalid, if any.
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
        "A request for a \(Element.self) was submitted in a different transaction than the one that made it; make it in "
          + "the closure that submits it.", path: path)
    }
  }
}
