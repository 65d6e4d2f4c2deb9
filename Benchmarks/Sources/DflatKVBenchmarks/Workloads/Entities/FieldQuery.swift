/// A query by a field without an index.
enum FieldQuery {
  /// Priorities above 0, which a sixth of the documents have.
  case priority
  /// One of three colors.
  case color

  func matches(of count: Int) -> Int {
    switch self {
    case .priority: (count / 2 + 2) / 3
    case .color: (count + 2) / 3
    }
  }
}
