/// The place of a value within the value that contains it.
enum PathKey {
  case none
  case key(any CodingKey)
  case index(Int)

  var codingKey: (any CodingKey)? {
    switch self {
    case .none: nil
    case .key(let key): key
    case .index(let index): NamedKey(index: index)
    }
  }
}

/// A key of the coders' own: an array's index, or the default key of a superclass.
struct NamedKey: CodingKey {
  static let parent = NamedKey(stringValue: "super")

  let stringValue: String
  let intValue: Int?

  init(index: Int) {
    stringValue = "Index \(index)"
    intValue = index
  }

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init?(intValue: Int) { self.init(index: intValue) }
}
