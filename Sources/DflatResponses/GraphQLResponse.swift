/// A server's answer to an operation (section 7 of the GraphQL specification), to be decoded from JSON.
public struct GraphQLResponse<Operation: GraphQLOperation>: Decodable, Sendable {
  /// The result; nil if the operation failed as a whole.
  public let data: Operation.Data?
  /// The server's errors. If there is data, the fields with errors are null in it.
  public let errors: [GraphQLError]

  private enum CodingKeys: CodingKey { case data, errors }

  /// Decodes a response.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    errors = try container.decodeIfPresent([GraphQLError].self, forKey: .errors) ?? []
    data = try container.decodeIfPresent(Operation.Data.self, forKey: .data)
  }

  /// Returns the result of an operation without errors.
  ///
  /// Use it to store the result. A field with an error is null, and storing it would replace an earlier value by null.
  ///
  /// - Throws: ``GraphQLErrors`` if the response has errors, or no data.
  public func result() throws -> Operation.Data {
    guard errors.isEmpty, let data else { throw GraphQLErrors(errors: errors) }
    return data
  }
}

/// An error in a response.
public struct GraphQLError: Decodable, Hashable, Sendable, CustomStringConvertible {
  /// The server's explanation.
  public let message: String
  /// The place of a field with the error in the result: names, and indices of lists; empty if the error is of no field.
  public let path: [Step]

  /// A step on the way to a field.
  public enum Step: Decodable, Hashable, Sendable {
    /// The key of a field in its object.
    case name(String)
    /// The position of an element in its list, from 0.
    case index(Int)

    /// Decodes a string or a whole number.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let name = try? container.decode(String.self) {
        self = .name(name)
      } else {
        self = .index(try container.decode(Int.self))
      }
    }
  }

  private enum CodingKeys: CodingKey { case message, path }

  /// Decodes an error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    message = try container.decode(String.self, forKey: .message)
    path = try container.decodeIfPresent([Step].self, forKey: .path) ?? []
  }

  /// The message, after the path: `hero.films.0: No such film`.
  public var description: String {
    let steps = path.map { step in
      switch step {
      case .name(let name): name
      case .index(let index): String(index)
      }
    }
    return steps.isEmpty ? message : "\(steps.joined(separator: ".")): \(message)"
  }
}

/// The errors of a response without a complete result.
public struct GraphQLErrors: Error, Hashable, CustomStringConvertible {
  /// The server's errors; empty if it sent neither data nor an error.
  public let errors: [GraphQLError]

  /// A line for each error.
  public var description: String {
    errors.isEmpty
      ? "The response has neither data nor errors." : errors.map(\.description).joined(separator: "\n")
  }
}
