import DflatSchema

/// Names in generated Swift code.
enum SwiftVocabulary {
  /// The types that generated code names inside the types of responses, which those inside must not hide.
  static let types: Set<String> = [
    "Any", "Self", "Type", "Protocol", "Swift", "String", "Bool", "Int32", "Int64", "Double", "Decodable", "Decoder",
    "Hashable", "Hasher", "Sendable", "CodingKey", "CodingKeys", "Selected", "GraphQLTypes", "GraphQLOperation",
    "StorableResponse", "ResponseWriter", "JSONText", "DflatResponses", "DflatEntities",
  ]

  /// The members that generated code adds to the types of responses.
  static let properties: Set<String> = [
    "self", "init", "hash", "hashValue", "encode", "store", "write", "entityTypes",
  ]

  /// Returns the name of the type for a field: `films: [Film]` has elements of the type `Film`.
  static func typeName(ofField name: String, isList: Bool) -> String {
    let name = isList ? singular(name) : name
    let member = SwiftNames.memberName(name)
    return member.prefix(1).uppercased() + member.dropFirst()
  }

  private static func singular(_ name: String) -> String {
    if name.hasSuffix("ies"), name.utf8.count > 4 { return name.dropLast(3) + "y" }
    for ending in ["sses", "shes", "ches", "xes"] where name.hasSuffix(ending) { return String(name.dropLast(2)) }
    for ending in ["ss", "us", "is"] where name.hasSuffix(ending) { return name }
    return name.hasSuffix("s") && name.utf8.count > 2 ? String(name.dropLast()) : name
  }
}

/// Names of one scope, which get a number if an earlier one is the same.
struct UniqueNames {
  private var taken: Set<String>

  init(reserved: Set<String> = []) { taken = reserved }

  /// Returns the name, or one that isn't taken.
  mutating func insert(_ name: String) -> String {
    var unique = name
    var number = 2
    while !taken.insert(unique).inserted {
      unique = "\(name)\(number)"
      number += 1
    }
    return unique
  }
}
