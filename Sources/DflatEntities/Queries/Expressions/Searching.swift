/// The expression of `matches`: a full-text search.
public struct SearchExpr<Element: Atom>: Expr {
  public typealias ResultType = Bool
  let match: SearchMatch

  init(_ paths: [FieldPath], _ text: String) { match = SearchMatch(paths, SearchText(text)) }

  public var _expression: QueryExpression { QueryExpression(.search(match)) }
}

extension FieldExpr where T == String {
  /// Tests if the text matches a search: words, of which all have to occur, in any order.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.title.matches("sqlite data*"))
  ///
  /// | search | finds texts with |
  /// |---|---|
  /// | `red fox` | both words |
  /// | `"red fox"` | the words next to each other |
  /// | `fo*` | a word that begins with `fo` |
  /// | `red -fox` | the one word but not the other |
  /// | `fox OR wolf` | at least one of the words |
  /// | `red (fox OR wolf)` | the first word, and one of the others |
  ///
  /// Case and diacritics don't matter. Words consist of letters, numbers and private characters, of all scripts; other
  /// characters separate them. Every text is a valid search: nothing in it is an error, and what has no words counts as
  /// absent. A search without a word to find, `-fox` for example, matches nothing. Only the first 256 words and
  /// phrases, of at most 16 kB, and four levels of parentheses count.
  ///
  /// A full-text index finds the matches if the schema declares the field `searchable`. Without one, and until the
  /// index is filled, the text of each object is searched, with the same result. Unknown if the field has no value.
  public func matches(_ search: String) -> SearchExpr<Element> { SearchExpr([field.path], search) }
}

extension Atom {
  /// Tests if the type's `searchable` fields match a search. Different words may be in different fields; a phrase is in
  /// one of them.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.matches("sqlite -mysql"), orderBy: [.relevance])
  ///
  /// Searches as `matches` of a field does. Unknown if no searchable field has a value, and for a type without
  /// searchable fields.
  public static func matches(_ search: String) -> SearchExpr<Self> {
    SearchExpr(_entity.searchable.map(\.path), search)
  }
}

extension OrderBy {
  /// The order that puts the objects first that match the query's search best (BM25): those in which the words are more
  /// frequent, the texts shorter, the words rarer in other objects.
  ///
  ///     let best = try workspace.query(for: Post.self).where(Post.matches("sqlite")).orderBy(.relevance).limit(10).fetch()
  ///
  /// The query needs a `matches` that is not part of an `||` or `!`; otherwise running it throws
  /// ``/DflatCore/WorkspaceError`` with code `.invalidRequest`. With several of them, all count.
  ///
  /// The relevance depends on all objects of the type. Until the full-text index is filled, and for fields that aren't
  /// `searchable`, each such query reads all objects. A live query with this order fetches again after each commit that
  /// changes objects of the type.
  public static var relevance: OrderBy { OrderBy(.relevance, name: "relevance") }
}
