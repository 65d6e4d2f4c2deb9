/// A type of objects, as transactions declare it and messages name it.
enum ObjectType: CustomStringConvertible {
  /// A type with generated code.
  case swift(any Atom.Type)
  case described(DescribedType)

  var entity: EntityDescription {
    switch self {
    case .swift(let type): type._entity
    case .described(let type): type.entity
    }
  }

  var description: String {
    switch self {
    case .swift(let type): "\(type)"
    case .described(let type): type.name
    }
  }
}

/// A type of objects without generated code, which only a schema describes.
package struct DescribedType: Sendable {
  package let entity: EntityDescription
  /// The name in messages.
  package let name: String

  package init(_ entity: EntityDescription, name: String) {
    self.entity = entity
    self.name = name
  }
}
