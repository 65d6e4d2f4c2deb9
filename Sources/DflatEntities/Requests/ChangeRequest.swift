public import DflatCore

/// A change of one object, submitted in a transaction. Generated code has one conforming type for each entity:
/// `PostChangeRequest`. Don't conform types of your own.
public protocol ChangeRequest: AnyObject {
  /// The type of the object.
  associatedtype Element: Atom

  /// Carries out the request in a transaction.
  ///
  /// - Throws: The errors of ``TransactionContext/submit(_:)-(T)``.
  func _submit(to transaction: TransactionContext) throws -> UpdatedObject<Element>
}
