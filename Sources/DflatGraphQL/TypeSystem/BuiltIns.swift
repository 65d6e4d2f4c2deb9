import DflatSchema

/// The types and directives that every schema has (sections 3.5, 3.13 and 4.2 of the specification).
enum BuiltIns {
  /// Their definitions, and the types of the fields `__schema` and `__type`.
  static let definitions: [DefinitionSyntax] = {
    let text = SourceText(path: "built-in", bytes: Array(source.utf8))
    return GraphQLParser.parse(text, file: builtInFile).document.definitions
  }()

  /// The file of built-in definitions' places, which no error names.
  static let builtInFile = -1

  /// `__typename`, which every object, interface and union has.
  static let typeName = field("__typename", TypeReference.nonNull(.named("String")))
  /// `__schema`, which the query type has.
  static let schema = field("__schema", .nonNull(.named("__Schema")))
  /// `__type`, which the query type has.
  static let type = field(
    "__type", .named("__Type"),
    arguments: [
      InputValue(
        InputValueSyntax(
          description: nil, name: name("name"),
          type: TypeReferenceSyntax(kind: .named("String"), isNonNull: true, place: place), defaultValue: nil,
          directives: []))
    ])

  private static let place = Place(file: builtInFile, offset: 0)

  private static func name(_ text: String) -> NameSyntax { NameSyntax(text: text, place: place) }

  private static func field(
    _ fieldName: String, _ type: TypeReference, arguments: [InputValue] = []
  ) -> FieldDefinition {
    FieldDefinition(
      name: name(fieldName), description: nil, arguments: arguments, type: type, typeName: name(type.name))
  }

  private static let source = """
    scalar Int scalar Float scalar String scalar Boolean scalar ID

    directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
    directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
    directive @deprecated(reason: String = "No longer supported")
      on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
    directive @specifiedBy(url: String!) on SCALAR

    type __Schema {
      description: String
      types: [__Type!]!
      queryType: __Type!
      mutationType: __Type
      subscriptionType: __Type
      directives: [__Directive!]!
    }
    type __Type {
      kind: __TypeKind!
      name: String
      description: String
      specifiedByURL: String
      fields(includeDeprecated: Boolean = false): [__Field!]
      interfaces: [__Type!]
      possibleTypes: [__Type!]
      enumValues(includeDeprecated: Boolean = false): [__EnumValue!]
      inputFields(includeDeprecated: Boolean = false): [__InputValue!]
      ofType: __Type
    }
    enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT LIST NON_NULL }
    type __Field {
      name: String!
      description: String
      args(includeDeprecated: Boolean = false): [__InputValue!]!
      type: __Type!
      isDeprecated: Boolean!
      deprecationReason: String
    }
    type __InputValue {
      name: String!
      description: String
      type: __Type!
      defaultValue: String
      isDeprecated: Boolean!
      deprecationReason: String
    }
    type __EnumValue { name: String! description: String isDeprecated: Boolean! deprecationReason: String }
    type __Directive {
      name: String!
      description: String
      isRepeatable: Boolean!
      locations: [__DirectiveLocation!]!
      args(includeDeprecated: Boolean = false): [__InputValue!]!
    }
    enum __DirectiveLocation {
      QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION SCHEMA
      SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT
      INPUT_FIELD_DEFINITION
    }
    """
}
