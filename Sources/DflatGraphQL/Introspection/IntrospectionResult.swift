/// The answer to an introspection query (section 4 of the specification), with or without the `data` around it.
struct IntrospectionResult: Decodable {
  let schema: Schema

  private enum Keys: String, CodingKey {
    case data
    case schema = "__schema"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    if container.contains(.data) {
      schema = try container.nestedContainer(keyedBy: Keys.self, forKey: .data).decode(Schema.self, forKey: .schema)
    } else {
      schema = try container.decode(Schema.self, forKey: .schema)
    }
  }

  struct Schema: Decodable {
    let queryType: Named?
    let mutationType: Named?
    let subscriptionType: Named?
    let types: [FullType]
    let directives: [Directive]?
  }

  struct Named: Decodable { let name: String }

  struct FullType: Decodable {
    let kind: String
    let name: String
    let description: String?
    let fields: [Field]?
    let inputFields: [InputValue]?
    let interfaces: [Named]?
    let enumValues: [EnumValue]?
    let possibleTypes: [Named]?
  }

  struct Field: Decodable {
    let name: String
    let description: String?
    let args: [InputValue]?
    let type: TypeReference
  }

  struct InputValue: Decodable {
    let name: String
    let description: String?
    let type: TypeReference
    /// A value as a document writes it.
    let defaultValue: String?
  }

  struct EnumValue: Decodable {
    let name: String
    let description: String?
  }

  struct Directive: Decodable {
    let name: String
    let description: String?
    let locations: [String]?
    let args: [InputValue]?
    let isRepeatable: Bool?
  }

  /// A type in lists and non-null types, from the outside in.
  struct TypeReference: Decodable {
    /// `LIST`, `NON_NULL`, or the kind of the named type.
    let kinds: [String]
    let name: String

    private enum Keys: CodingKey { case kind, name, ofType }

    init(from decoder: any Decoder) throws {
      var container = try decoder.container(keyedBy: Keys.self)
      var kinds = [try container.decode(String.self, forKey: .kind)]
      while kinds[kinds.count - 1] == "LIST" || kinds[kinds.count - 1] == "NON_NULL" {
        guard kinds.count <= GraphQLParser.maximumDepth else { break }
        container = try container.nestedContainer(keyedBy: Keys.self, forKey: .ofType)
        kinds.append(try container.decode(String.self, forKey: .kind))
      }
      self.kinds = kinds
      name = try container.decode(String.self, forKey: .name)
    }
  }
}
