import DflatSchema
import Testing

@testable import DflatGraphQL

/// The FlatBuffers schemas of entities.
@Suite struct EntitySchemaTests {
  static let schema = """
    type Query {
      hero(episode: Episode): Character
      human(id: ID!): Human
      search(text: String!): [SearchResult!]!
      reviews: [Review!]
      node: Node
    }
    scalar DateTime
    "The films"
    enum Episode { NEWHOPE "The second" EMPIRE UNKNOWN }
    enum Unit { METER FOOT }
    interface Node { id: ID! }
    \"""
    A character.

    Of a film.
    \"""
    interface Character { id: ID! "The name" name: String! friends: [Character] appearsIn: [Episode]! }
    type Human implements Character & Node {
      id: ID! name: String! friends: [Character] appearsIn: [Episode]!
      height(unit: Unit = METER): Float born: DateTime matrix: [[Int!]!] home: Planet alive: Boolean
    }
    type Droid implements Character & Node {
      id: ID! name: String! friends: [Character] appearsIn: [Episode]! primaryFunction: String count: Int subtype: Int
    }
    type Planet { name: String moons: [Planet!] }
    type Starship implements Node { id: ID! name: String! length: Float }
    type Review { stars: Int! about: SearchResult author: Human }
    union SearchResult = Human | Droid | Starship | Review
    """

  static func schema(
    _ operations: String, of entities: [EntityOptions] = [EntityOptions(name: "Character", key: "id")],
    schema: String = schema, scalars: [String: StoredScalar] = [:], after lock: String? = nil
  ) throws(SchemaErrors) -> GraphQLDocuments.EntitySchema {
    try output(operations, of: entities, schema: schema, scalars: scalars, after: lock).schemas[0]
  }

  static func output(
    _ operations: String, of entities: [EntityOptions], schema: String = schema, scalars: [String: StoredScalar] = [:],
    after lock: String?
  ) throws(SchemaErrors) -> GraphQLDocuments.Output {
    let source = MemorySource(["schema": schema, "operations": operations])
    let old = try lock.map { text throws(SchemaErrors) in try SchemaLock.schema(of: Array(text.utf8), at: "lock") }
    return try GraphQLDocuments(schemas: ["schema"], operations: ["operations"], from: source)
      .output(for: entities, scalars: scalars, file: { "\($0).fbs" }, lock: { _ in old })
  }

  /// Returns the part of a text after its note.
  private func body(_ schema: GraphQLDocuments.EntitySchema) -> String {
    String(schema.text.split(separator: "\n\n", maxSplits: 1)[1])
  }

  @Test("An interface is a table with its fields, and a union of tables with the fields of its objects")
  func interface() throws {
    let schema = try Self.schema(
      """
      query Hero($e: Episode) { hero(episode: $e) { id name friends { id } ...Details } }
      fragment Details on Character {
        appearsIn
        ... on Human { height feet: height(unit: FOOT) born matrix home { name moons { name } } alive }
        ... on Droid { function: primaryFunction count subtype }
      }
      """, of: [EntityOptions(name: "Character", key: "id", indexed: ["name"])], scalars: ["DateTime": .long])
    #expect(
      body(schema) == """
        namespace Character;

        /// The films
        enum Episode: int {
          /// A value that the schema didn't have yet.
          UnknownValue = 0,
          NEWHOPE = 1,
          /// The second
          EMPIRE = 2,
          UNKNOWN = 3
        }

        union Subtype {
          Human: Human = 1,
          Droid: Droid = 2
        }

        table Droid {
          count: int = null (id: 0);
          primaryFunction: string (id: 1);
          subtype: int = null (id: 2);
        }

        table Human {
          alive: bool = null (id: 0);
          born: long = null (id: 1);
          feet: double = null (id: 2);
          height: double = null (id: 3);
          home: Planet (id: 4);
          matrix: [ListOfInt] (id: 5);
        }

        /// A list in a list.
        table ListOfInt {
          items: [int] (id: 0);
        }

        table Planet {
          moons: [Planet] (id: 0);
          name: string (id: 1);
        }

        namespace;

        /// A character.
        ///
        /// Of a film.
        table Character {
          id: string (id: 0, primary);
          appearsIn: [Character.Episode] (id: 1);
          friends: [string] (id: 2);
          /// The name
          name: string (id: 3, indexed);
          subtype_: Character.Subtype (id: 5);
        }

        root_type Character;

        """)
  }

  @Test("A union of entities and values has references to the entities") func mixedUnion() throws {
    let schema = try Self.schema(
      """
      { reviews { author { id } about { ... on Character { id } ... on Starship { length } ... on Review { stars } } } }
      """, of: [EntityOptions(name: "Review", key: "stars"), EntityOptions(name: "Character", key: "id")])
    #expect(
      body(schema) == """
        namespace Review;

        union SearchResultSubtype {
          Character: CharacterReference = 1,
          Starship: Starship = 2,
          Review: ReviewReference = 3
        }

        /// The key of an object of the entity Character.
        table CharacterReference {
          id: string (id: 0);
        }

        /// The key of an object of the entity Review.
        table ReviewReference {
          stars: int = null (id: 0);
        }

        table SearchResult {
          subtype: SearchResultSubtype (id: 1);
        }

        table Starship {
          length: double = null (id: 0);
        }

        namespace;

        table Review {
          stars: int (id: 0, primary);
          about: Review.SearchResult (id: 1);
          author: string (id: 2);
        }

        root_type Review;

        """)
  }

  @Test("A field that is selected later gets the next number, and one that no operation selects keeps its own")
  func growth() throws {
    let first = try Self.schema("{ hero { id name } }")
    let second = try Self.schema("{ hero { id appearsIn } }", after: first.lock)
    #expect(
      body(second).contains(
        """
          id: string (id: 0, primary);
          appearsIn: [Character.Episode] (id: 4);
          subtype_: Character.Subtype (id: 3);
          name: string (id: 1, deprecated);
        """))
    let third = try Self.schema("{ hero { id name friends { id } } }", after: second.lock)
    #expect(body(third).contains("  name: string (id: 1);\n"))
    #expect(body(third).contains("  appearsIn: [Character.Episode] (id: 4, deprecated);\n"))
    #expect(body(third).contains("  friends: [string] (id: 5);\n"))
  }

  @Test("A field with another type gets another number, and its old values keep theirs") func otherType() throws {
    let first = try Self.schema("{ human(id: 1) { id height } }")
    let schema = Self.schema.replacing("height(unit: Unit = METER): Float", with: "height: String")
    let second = try Self.schema("{ human(id: 1) { id height } }", schema: schema, after: first.lock)
    #expect(
      body(second).contains("  height: string (id: 1);\n  height_old: double = null (id: 0, deprecated);\n"))
    let third = try Self.schema("{ human(id: 1) { id height } }", after: second.lock)
    #expect(
      body(third).contains(
        """
          height: double = null (id: 2);
          height_old_old: string (id: 1, deprecated);
          height_old: double = null (id: 0, deprecated);
        """))
  }

  @Test("Values of enums and members of unions keep their numbers when others come and go") func members() throws {
    let operations = "{ hero { id appearsIn ... on Droid { count } } }"
    let first = try Self.schema(operations)
    let schema = Self.schema.replacing("{ NEWHOPE \"The second\" EMPIRE UNKNOWN }", with: "{ EMPIRE JEDI NEWHOPE }")
      .replacing(
        "type Human implements",
        with: "type Clone implements Character { id: ID! name: String! friends: "
          + "[Character] appearsIn: [Episode]! } type Human implements")
    let second = try Self.schema(operations, schema: schema, after: first.lock)
    #expect(body(second).contains("  UnknownValue = 0,\n  NEWHOPE = 1,\n  EMPIRE = 2,\n  UNKNOWN = 3,\n  JEDI = 4\n"))
    #expect(body(second).contains("  Human: Human = 1,\n  Droid: Droid = 2,\n  Clone: Clone = 3\n"))
  }

  @Test("Of names that are the same in Swift, the older one keeps it, and the other one is written into the schema")
  func swiftNames() throws {
    let schema = """
      type Query { item: Item }
      type Item { id: ID! a_b: Int aB: Int color: Color part: Item_ }
      enum Color { RED red Red }
      type Item_ { x: Int }
      """
    let entities = [EntityOptions(name: "Item", key: "id")]
    let first = try Self.schema("{ item { id a_b } }", of: entities, schema: schema)
    let second = try Self.schema(
      "{ item { id a_b aB color part { x } } }", of: entities, schema: schema, after: first.lock)
    let text = body(second)
    #expect(text.contains("  aB: int = null (id: 2, swift_name: \"aB_\");\n  a_b: int = null (id: 1);\n"))
    #expect(text.contains("  RED = 1,\n  red = 2,\n  Red = 3 (swift_name: \"Red\")\n"))
    // In its namespace, this type would hide the entity.
    #expect(text.contains("table Item_ (swift_name: \"Item_\") {"))
    let compiled = try SchemaCompiler(source: MemorySource(["Item.fbs": second.text])).compile("Item.fbs")
    #expect(compiled.warnings.isEmpty)
  }

  @Test("A field that is called like the storage of one that may be boxed gets another name in Swift")
  func storageOfBox() throws {
    let schema = "type Query { item: Item } type Item { id: ID! part: Part } type Part { next: Part _next: Int }"
    let entities = [EntityOptions(name: "Item", key: "id")]
    let first = try Self.schema("{ item { id part { next { __typename } } } }", of: entities, schema: schema)
    let second = try Self.schema(
      "{ item { id part { next { __typename } _next } } }", of: entities, schema: schema, after: first.lock)
    #expect(body(second).contains("  next: Part (id: 0);\n"))
    #expect(body(second).contains("  _next: int = null (id: 1, swift_name: \"_next_\");\n"))
    let compiled = try SchemaCompiler(source: MemorySource(["Item.fbs": second.text])).compile("Item.fbs")
    #expect(compiled.warnings.isEmpty)
  }

  @Test("A schema that can't be mapped is refused, with the reason and its place", arguments: refused)
  func refusal(case: (operations: String, entities: [EntityOptions], message: String)) {
    let error = #expect(throws: SchemaErrors.self) { try Self.schema(`case`.operations, of: `case`.entities) }
    #expect(error?.diagnostics.count == 1)
    #expect(error?.description.contains(`case`.message) == true, "\(error?.description ?? "")")
  }

  static let refused: [(operations: String, entities: [EntityOptions], message: String)] = [
    ("{ hero { id } }", [EntityOptions(name: "Hero", key: "id")], "the entity 'Hero' is not a type of the schema"),
    ("{ hero { id } }", [EntityOptions(name: "Episode", key: "id")], "'Episode' is not a type of the schema that has"),
    (
      "{ reviews { stars } }", [EntityOptions(name: "Review", key: "id")],
      "'Review' of the entity 'Review' has no field"
    ),
    ("{ reviews { stars } }", [EntityOptions(name: "Review", key: "about")], "the key 'Review.about' has the type"),
    (
      "{ hero { id } }", [EntityOptions(name: "Character", key: "id"), EntityOptions(name: "Droid", key: "id")],
      "'Droid' belongs to the entities 'Character' and 'Droid'"
    ),
    (
      "query A { human(id: 1) { height } } query B { human(id: 1) { height(unit: FOOT) } }",
      [EntityOptions(name: "Character", key: "id")],
      "operations:1:62: error: this field is selected with other arguments elsewhere, and both would be stored as 'height'"
    ),
    (
      "{ hero { id } }", [EntityOptions(name: "Character", key: "id", indexed: ["name"])],
      "the indexed field 'Character.name' is not stored"
    ),
    (
      "{ hero { friends { id } } }", [EntityOptions(name: "Character", key: "id", indexed: ["friends"])],
      "the field 'Character.friends' can't have an index"
    ),
  ]

  @Test("Another primary key is refused while there is a lock") func otherKey() throws {
    let first = try Self.schema("{ hero { id name } }")
    let error = #expect(throws: SchemaErrors.self) {
      try Self.schema("{ hero { id name } }", of: [EntityOptions(name: "Character", key: "name")], after: first.lock)
    }
    #expect(error?.description.contains("the primary key of 'Character' was the string 'id'") == true)
  }

  @Test("A scalar that the schema doesn't define can't be mapped") func unknownScalar() {
    let error = #expect(throws: SchemaErrors.self) { try Self.schema("{ hero { id } }", scalars: ["Datetime": .long]) }
    #expect(error?.description.contains("did you mean 'DateTime'?") == true)
  }
}
