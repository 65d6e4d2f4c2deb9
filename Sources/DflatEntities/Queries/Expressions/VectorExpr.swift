/// A vector of an entity in conditions: of scalars, enums or strings. Generated code has one for each such field.
///
///     let posts = workspace.fetch(for: Post.self).where(Post.tags.contains("swift") && !Post.tags.isEmpty)
///
/// A vector without a value is empty. A vector in a table or union member that is absent is null, and its conditions
/// are unknown. Vectors have no indexes: their conditions are evaluated on the bytes of each object.
public struct VectorExpr<T: DflatFriendlyValue, Element: Atom>: Sendable {
  package let path: VectorPath

  package init(_ path: VectorPath) { self.path = path }

  /// Tests if an element has this value. Texts are compared by their UTF-8 bytes. NaN equals nothing.
  public func contains(_ value: T) -> VectorTestExpr<Element> {
    VectorTestExpr(test: .hasElement(path, value._queryValue, ignoresCase: false))
  }

  /// Tests if there are no elements.
  public var isEmpty: VectorTestExpr<Element> { VectorTestExpr(test: .isEmpty(path)) }
}

extension VectorExpr where T == String {
  /// Tests if an element equals a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - ignoringCase: True to compare the UTF-8 bytes of `lowercased()` rather than those of the texts.
  public func contains(_ text: String, ignoringCase: Bool) -> VectorTestExpr<Element> {
    VectorTestExpr(test: .hasElement(path, .text(text), ignoresCase: ignoringCase))
  }
}

/// The expression of `contains` and `isEmpty` on a vector.
public struct VectorTestExpr<Element: Atom>: Expr {
  public typealias ResultType = Bool
  let test: QueryNode

  public var _expression: QueryExpression { QueryExpression(test) }
}
