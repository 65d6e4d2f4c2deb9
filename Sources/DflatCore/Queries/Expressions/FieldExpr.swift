/// A field of an entity in an expression. Generated code has one for each field that can be queried.
///
///     let posts = workspace.fetch(for: Post.self).where(Post.priority > 3, orderBy: [Post.title.ascending])
public final class FieldExpr<T: DflatFriendlyValue, Element: Atom>: Expr {
  public typealias ResultType = T

  /// `__pk0` for the first field of the primary key, else the path's name.
  public let name: String
  package let field: QueryField

  public init(_ path: FieldPath, key: Int? = nil, indexed: Bool = false) {
    self.name = key.map { "__pk\($0)" } ?? path.name
    self.field = QueryField(path, keyPosition: key, isIndexed: indexed)
  }

  public var _expression: QueryExpression { QueryExpression(.field(field)) }
}
