/// A field of an entity in an expression. Generated code has one for each field that can be queried.
///
///     let posts = workspace.fetch(for: Post.self).where(Post.priority > 3, orderBy: [Post.title.ascending])
public final class FieldExpr<T: DflatFriendlyValue, Element: Atom>: Expr {
  public typealias ResultType = T

  /// `__pk0` for the first field of the primary key, else the path's name.
  public let name: String
  package let field: QueryField

  /// A field at a path. Generated code makes it.
  ///
  /// - Parameter key: Its place in the primary key. What is indexed, the entity's description says.
  public init(_ path: FieldPath, key: Int? = nil) {
    self.name = key.map { "__pk\($0)" } ?? path.name
    self.field = QueryField(path, keyPosition: key)
  }

  public var _expression: QueryExpression { QueryExpression(.field(field)) }

  /// Smallest values first, and before them the objects without a value; NaN after every other number.
  public var ascending: OrderBy<Element> { OrderBy(QueryOrder(.ascending, by: field), name: name) }

  /// Largest values first, and after all of them the objects without a value.
  public var descending: OrderBy<Element> { OrderBy(QueryOrder(.descending, by: field), name: name) }
}
