/// The words of messages about a schema.
package struct SchemaWording: Sendable {
  /// The name of the table or type.
  let subject: String
  /// The word for the things that the schema describes, such as "objects".
  let contents: String
  /// The remedy for an edit that contradicts the stored schema, besides undoing it.
  let remedy: String

  package init(subject: String, contents: String, remedy: String) {
    self.subject = subject
    self.contents = contents
    self.remedy = remedy
  }
}
