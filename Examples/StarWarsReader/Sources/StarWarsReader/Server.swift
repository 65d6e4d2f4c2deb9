import DflatKV
import DflatResponses
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The GraphQL server, over plain HTTP.
enum Server {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs an operation, and stores its result.
  static func store<Operation: GraphQLOperation, Variables: Encodable>(
    _ operation: Operation.Type, variables: Variables, in workspace: SQLiteWorkspace
  ) async throws -> StoredObjects where Operation.Data: StorableResponse {
    let address = ProcessInfo.processInfo.environment["STARWARS_SERVER"] ?? "http://127.0.0.1:8000"
    guard let url = URL(string: address + "/graphql") else { throw Failure(description: "'\(address)' is no address") }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONEncoder().encode(GraphQLRequest(operation, variables: variables))
    let (body, _) = try await URLSession.shared.data(for: request)
    let response = try JSONDecoder().decode(GraphQLResponse<Operation>.self, from: body)
    return try await response.result().store(in: workspace)
  }
}

extension StoredObjects {
  /// The numbers of objects that a response has added, changed and left unchanged.
  var summary: String { "\(newCount) new, \(changedCount) changed, \(unchangedCount) unchanged" }
}
