import DflatSupport

/// A field of an entity as an expression. Generated code has one for each field that queries can use.
///
///     let posts = workspace.fetch(for: Post.self).where(Post.priority > 3, orderBy: [Post.title.ascending])
public final class FieldExpr<T: DflatFriendlyValue, Element: Atom>: Expr {
  public typealias ResultType = T

  /// `__pk0` for the first field of the primary key (and so on), otherwise the path's name.
  public let name: String
  package let field: QueryField

  /// Creates a field at a path, for generated code.
  ///
  /// - Parameters:
  ///   - path: The path from the entity to the field.
  ///   - key: Its position in the primary key. The entity's description lists the indexed fields.
  public init(_ path: FieldPath, key: Int? = nil) {
    self.name = key.map(StoredNames.keyColumn) ?? path.name
    self.field = QueryField(path, keyPosition: key)
  }

  public var _expression: QueryExpression { QueryExpression(.field(field)) }

  /// The order with the smallest values first. Objects without a value come before all others, NaN after all other
  /// numbers.
  public var ascending: OrderBy<Element> { OrderBy(QueryOrder(.ascending, by: field), name: name) }

  /// The order with the largest values first. Objects without a value come after all others.
  public var descending: OrderBy<Element> { OrderBy(QueryOrder(.descending, by: field), name: name) }
}
