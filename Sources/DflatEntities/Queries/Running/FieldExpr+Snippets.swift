import DflatBuffers
import DflatCore
import DflatSQLite

extension FieldExpr where T == String {
  /// Returns the part of an object's text in which most words of a search occur, with these marked.
  ///
  ///     for post in try workspace.query(for: Post.self).where(Post.matches("fox")).orderBy(.relevance).fetch() {
  ///       print(try Post.body.snippet(of: post, matching: "fox", start: "[", end: "]") ?? post.title)
  ///     }
  ///     // … the quick brown [fox] jumps over …
  ///
  /// Marks what the search looks for and the text has, whether the text matches the whole search or not. Reads the
  /// object, not the file, so it works on any thread, at any time.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - search: The search, as for ``matches(_:)``.
  ///   - start: The text before each marked part. Nothing in the object's text is escaped.
  ///   - end: The text after each marked part.
  ///   - ellipsis: The text in place of what is left out at the beginning and at the end.
  ///   - words: The maximum number of words of the part, from 1 to 64.
  /// - Returns: The part; nil if the object has no text in this field, or none of the words is in it.
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.searchUnavailable` if SQLite has no full-text search; with
  ///   code `.unencodable` if the object can't be encoded, as a fetched one always can; or with code `.outOfMemory`.
  public func snippet(
    of object: Element, matching search: String, start: String, end: String, ellipsis: String = "…", words: Int = 16
  ) throws -> String? {
    try marked(
      by: "snippet(t1, 0, ?2, ?3, ?4, ?5)",
      [.text(start), .text(end), .text(ellipsis), .integer(Int64(Swift.min(Swift.max(words, 1), 64)))], search,
      in: object)
  }

  /// Returns an object's whole text, with the words of a search marked.
  ///
  ///     try Post.title.highlighted(in: post, matching: "sql*", start: "<b>", end: "</b>")
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - search: The search, as for ``matches(_:)``.
  ///   - start: The text before each marked part. Nothing in the object's text is escaped.
  ///   - end: The text after each marked part.
  /// - Returns: The text; nil if the object has no text in this field, or none of the words is in it.
  /// - Throws: As ``snippet(of:matching:start:end:ellipsis:words:)``.
  public func highlighted(in object: Element, matching search: String, start: String, end: String) throws -> String? {
    try marked(by: "highlight(t1, 0, ?2, ?3)", [.text(start), .text(end)], search, in: object)
  }

  private func marked(
    by function: String, _ arguments: [QueryValue], _ search: String, in object: Element
  ) throws -> String? {
    let reader = PathReader(field.path)
    do {
      return try object.withEncodedBytes { bytes in
        guard let text = try reader.text(in: FlatBufferTable(rootOf: bytes)) else { return nil }
        // A NUL, which separates words as a space does, would end SQLite's result.
        let copy = text.map { $0 == 0 ? UInt8(ascii: " ") : $0 }
        return try SearchEvaluator.lend { evaluator in
          let items = try SearchExpression.anyItem(of: SearchText(search)) { try evaluator.hasWords($0) }
          guard let expression = items.text else { return nil }
          return try copy.withUnsafeBytes { try evaluator.mark(function, arguments, in: $0, matching: expression) }
        }
      }
    } catch let error as FlatBufferError {
      throw WorkspaceError(.unencodable, "A \(Element.self) can't be encoded as FlatBuffers.", underlying: error)
    } catch {
      throw WorkspaceError.wrapping(error, path: Connection.memoryPath, doing: "Searching")
    }
  }
}
