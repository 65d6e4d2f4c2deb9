/// The shape of a part of a response: what a field with selections has, whatever fragments the selections come from.
final class ResponseType {
  /// The path of its type in Swift, from the operation's.
  let path: [String]
  /// The types of the schema that the selections are from.
  let sources: [TypeDefinition]
  /// The names of the object types that the part can have, in the order of the schema.
  let objects: [String]
  var fields: [ResponseField] = []
  /// The names of the entities with objects in the part, itself or further inside.
  var entities: Set<String> = []

  init(path: [String], sources: [TypeDefinition], objects: [String]) {
    self.path = path
    self.sources = sources
    self.objects = objects
  }

  /// True if the response says which object type the part has.
  var hasTypeName: Bool { !isRoot && (objects.count > 1 || sources.contains { $0.kind != .object }) }

  /// True for the result of an operation.
  var isRoot: Bool { path.count == 1 }

  func field(_ responseName: String) -> ResponseField? { fields.first { $0.responseName == responseName } }
}

/// A field of a part of a response.
struct ResponseField {
  /// A place in the selections that selects the field.
  struct Occurrence {
    /// The name that the value is stored with.
    let storedName: String
    let definition: FieldDefinition
    /// The object types that have the field at this place.
    let objects: Set<String>
  }

  /// The key in the response.
  let responseName: String
  /// The property in Swift.
  var property = ""
  let type: TypeReference
  /// True if a response may lack the field.
  var isConditional: Bool
  var occurrences: [Occurrence]
  /// The shape of the field's value, or of the elements of its list; nil for scalars and enums.
  var child: ResponseType?

  /// True for a field that may be missing or null, which Swift code has to tell apart.
  var isWrapped: Bool { isConditional && !type.isNonNull }
  /// True for a field of the schema, false for one that every type has.
  var isValue: Bool { !occurrences[0].definition.name.text.hasPrefix("__") }
  /// True if the property is an optional.
  var isOptional: Bool { isConditional || !type.isNonNull }

  /// Returns the place that selects the field from an object type.
  func occurrence(in object: String) -> Occurrence? { occurrences.first { $0.objects.contains(object) } }
}
