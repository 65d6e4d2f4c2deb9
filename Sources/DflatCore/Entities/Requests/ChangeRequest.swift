/// A change of one object, to be submitted in a transaction. Generated code has one a type: `PostChangeRequest`. Not for
/// conformances of your own.
public protocol ChangeRequest: AnyObject {
  /// The type of the object.
  associatedtype Element: Atom

  /// Carries the request out.
  func _submit(to transaction: TransactionContext) throws -> UpdatedObject<Element>
}
