/// Encodes with a closure.
struct Custom: Encodable {
  enum Key: String, CodingKey {
    case a, b, c
  }

  let body: (any Encoder) throws -> Void

  func encode(to encoder: any Encoder) throws { try body(encoder) }
}
