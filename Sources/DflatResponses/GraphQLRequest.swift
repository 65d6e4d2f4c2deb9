/// The body of a request over HTTP, to be encoded as JSON.
///
///     let body = try JSONEncoder().encode(GraphQLRequest(HeroQuery.self, variables: ["id": "1000"]))
///
/// The format is that of the section "POST" of [Serving over HTTP](https://graphql.org/learn/serving-over-http/).
public struct GraphQLRequest<Variables: Encodable>: Encodable {
  /// The document.
  public let query: String
  /// The operation's name; nil if it has none.
  public let operationName: String?
  /// The values of the operation's variables, under their names.
  public let variables: Variables

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - variables: A dictionary, or a value that is encoded as a JSON object.
  public init<Operation: GraphQLOperation>(_ operation: Operation.Type, variables: Variables) {
    query = operation.document
    operationName = operation.operationName
    self.variables = variables
  }
}

extension GraphQLRequest where Variables == [String: String] {
  /// Creates a request of an operation without variables.
  public init<Operation: GraphQLOperation>(_ operation: Operation.Type) { self.init(operation, variables: [:]) }
}
