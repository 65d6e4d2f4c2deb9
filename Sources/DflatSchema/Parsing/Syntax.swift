/// The parsed contents of a schema file, before any name is looked up. Positions are byte offsets in the file's text.
struct FileSyntax: Sendable {
  var includes: [IncludeSyntax] = []
  /// The declarations in the order of the text.
  var declarations: [DeclarationSyntax] = []
  /// The names that `attribute` declares.
  var declaredAttributes: Set<String> = []
  var roots: [RootSyntax] = []
  var fileIdentifier: StringSyntax?
  var fileExtension: StringSyntax?
  /// True if errors have hidden the name of a declaration. An unknown type may be their consequence.
  var hasLostDeclarations = false
}

struct NameSyntax: Sendable {
  var text: String
  var position: Int
}

struct StringSyntax: Sendable {
  var text: String
  var position: Int
}

struct IncludeSyntax: Sendable {
  var path: String
  var position: Int
}

/// `A.B.C`
struct PathSyntax: Sendable {
  var parts: [String]
  var position: Int

  var text: String { parts.joined(separator: ".") }
}

struct RootSyntax: Sendable {
  var type: PathSyntax
  var namespace: [String]
}

enum DeclarationSyntax: Sendable {
  case record(RecordSyntax)
  case enumeration(EnumSyntax)
  case union(UnionSyntax)
  case service(ServiceSyntax)

  var header: HeaderSyntax {
    switch self {
    case .record(let syntax): syntax.header
    case .enumeration(let syntax): syntax.header
    case .union(let syntax): syntax.header
    case .service(let syntax): syntax.header
    }
  }
}

/// The parts that all declarations have.
struct HeaderSyntax: Sendable {
  var name: NameSyntax
  var namespace: [String]
  var documentation: [String]
  var attributes: [AttributeSyntax] = []
  /// True if errors have hidden some parts. A missing part may be their consequence.
  var isDamaged = false
}

struct AttributeSyntax: Sendable {
  var name: NameSyntax
  var value: AttributeValue
  var valuePosition: Int
}

/// A `table` or a `struct`.
struct RecordSyntax: Sendable {
  var isStruct: Bool
  var header: HeaderSyntax
  var fields: [FieldSyntax] = []
}

struct FieldSyntax: Sendable {
  var name: NameSyntax
  var documentation: [String]
  var type: TypeSyntax
  var defaultValue: ValueSyntax?
  var attributes: [AttributeSyntax]
}

struct TypeSyntax: Sendable {
  enum Shape: Sendable {
    case single
    case vector
    /// `[T:3]`. The count is nil if it has more than 128 bits.
    case array(count: Int128?, position: Int)
  }

  /// The position of the type, or of its bracket if it has one.
  var position: Int
  var base: PathSyntax
  var shape: Shape
}

struct ValueSyntax: Sendable {
  enum Kind: Sendable {
    /// An integer; nil if it has more than 128 bits.
    case integer(Int128?)
    /// The literal, which is rounded only once, to the field's type.
    case floating(String)
    /// The result of a function.
    case computed(Double)
    case string(String)
    /// A name: `true`, `null`, `inf`, `Red`, `Color.Red`.
    case path([String])
    case emptyVector
  }

  var kind: Kind
  var position: Int
  /// The text in the schema.
  var text: String
}

struct EnumSyntax: Sendable {
  var header: HeaderSyntax
  /// The integer type; nil if it is missing, which has been reported.
  var base: PathSyntax?
  var values: [EnumValueSyntax] = []
}

struct EnumValueSyntax: Sendable {
  var name: NameSyntax
  var documentation: [String]
  var number: NumberSyntax?
  var attributes: [AttributeSyntax]
}

struct NumberSyntax: Sendable {
  /// The number; nil if it has more than 128 bits.
  var value: Int128?
  var position: Int
}

struct UnionSyntax: Sendable {
  var header: HeaderSyntax
  var members: [UnionMemberSyntax] = []
}

struct UnionMemberSyntax: Sendable {
  /// The name before the colon, if there is one.
  var name: NameSyntax?
  var documentation: [String]
  var type: PathSyntax
  var number: NumberSyntax?
  var attributes: [AttributeSyntax]

  var position: Int { name?.position ?? type.position }
}

struct ServiceSyntax: Sendable {
  var header: HeaderSyntax
  var methods: [MethodSyntax] = []
}

struct MethodSyntax: Sendable {
  var name: NameSyntax
  var request: PathSyntax
  var response: PathSyntax
  var attributes: [AttributeSyntax]
}
