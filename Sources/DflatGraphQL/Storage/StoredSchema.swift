import DflatSchema

/// The FlatBuffers schema of an entity: the root, and the types of its values in a namespace.
struct StoredSchema: Sendable {
  let entity: String
  var enums: [StoredEnum] = []
  var unions: [StoredUnion] = []
  /// The root is the one with the entity's name.
  var tables: [StoredTable] = []

  /// The namespace of the values' types. It has the name of the root's class, which nests them in the class.
  var namespace: String { SwiftNames.capitalisedTypeName(entity) }

  func table(_ name: String) -> StoredTable? { tables.first { $0.name == name } }
}

/// The type of a stored field. Types of the schema are named without the namespace.
indirect enum StoredType: Hashable, Sendable {
  case scalar(ScalarType)
  case string
  case enumeration(String)
  case table(String)
  case union(String)
  case vector(StoredType)

  var isTable: Bool { if case .table = self { true } else { false } }
}

struct StoredTable: Sendable {
  let name: String
  var documentation: [String] = []
  var fields: [StoredField] = []
}

struct StoredField: Sendable {
  var name: String
  let type: StoredType
  var documentation: [String] = []
  /// The number of its slot; -1 as long as it has none. A union's kind is in the slot before.
  var id = -1
  var isPrimary = false
  var isIndexed = false
  /// True for fields that no operation selects any more.
  var isDeprecated = false
}

struct StoredEnum: Sendable {
  struct Value: Sendable {
    var name: String
    /// The name in the GraphQL schema; nil for the unknown value, and for one that the schema no longer has.
    var graphQLName: String?
    var documentation: [String] = []
    var number = -1
  }

  var name: String
  /// The name in the GraphQL schema; nil for an enum that is only there for deprecated fields.
  var graphQLName: String?
  var documentation: [String] = []
  var values: [Value] = []
}

struct StoredUnion: Sendable {
  struct Member: Sendable {
    var name: String
    /// The object type or the entity that it stands for; nil for one that is only there for stored objects.
    var graphQLName: String?
    var table: String
    var kind = -1
  }

  let name: String
  var members: [Member] = []

  /// Returns the member of an object type or an entity.
  func member(of graphQLName: String) -> Member? { members.first { $0.graphQLName == graphQLName } }
}
