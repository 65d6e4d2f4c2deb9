/// The type of a field, an argument or a variable.
indirect enum TypeReference: Hashable, Sendable, CustomStringConvertible {
  case named(String)
  case list(TypeReference)
  case nonNull(TypeReference)

  init(_ syntax: TypeReferenceSyntax) {
    let nullable: TypeReference =
      switch syntax.kind {
      case .named(let name): .named(name)
      case .list(let element): .list(TypeReference(element))
      }
    self = syntax.isNonNull ? .nonNull(nullable) : nullable
  }

  /// The name of the type without lists and `!`.
  var name: String {
    switch self {
    case .named(let name): name
    case .list(let type), .nonNull(let type): type.name
    }
  }

  /// Returns the type with another name in the same lists.
  func named(_ name: String) -> TypeReference {
    switch self {
    case .named: .named(name)
    case .list(let type): .list(type.named(name))
    case .nonNull(let type): .nonNull(type.named(name))
    }
  }

  var isNonNull: Bool { if case .nonNull = self { true } else { false } }

  /// The type without its outer `!`.
  var nullable: TypeReference { if case .nonNull(let type) = self { type } else { self } }

  /// The type as a document writes it.
  var description: String {
    switch self {
    case .named(let name): name
    case .list(let type): "[\(type)]"
    case .nonNull(let type): "\(type)!"
    }
  }
}
