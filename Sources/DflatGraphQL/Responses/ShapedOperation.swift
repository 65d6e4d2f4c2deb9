/// An operation with the shape of its result.
struct ShapedOperation {
  let syntax: OperationSyntax
  /// The name of its type in Swift.
  let typeName: String
  let result: ResponseType
  /// The lines of its text for the server.
  let document: [String]
}
