/// What a schema file says, nothing of it looked up yet. Positions are bytes of the file's text.
struct FileSyntax: Sendable {
  var includes: [IncludeSyntax] = []
  /// In the order of the text.
  var declarations: [DeclarationSyntax] = []
  /// Names that `attribute` declares.
  var declaredAttributes: Set<String> = []
  var roots: [RootSyntax] = []
  var fileIdentifier: StringSyntax?
  var fileExtension: StringSyntax?
  /// Errors have cost it the name of a declaration: that a type is unknown may be their fault.
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

/// What all declarations have.
struct HeaderSyntax: Sendable {
  var name: NameSyntax
  var namespace: [String]
  var documentation: [String]
  var attributes: [AttributeSyntax] = []
  /// Errors have cost it some of its parts: that one is missing may be their fault.
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
    /// `[T:3]`; nil where the number was no number of 128 bits.
    case array(count: Int128?, position: Int)
  }

  /// Of the bracket, where there is one.
  var position: Int
  var base: PathSyntax
  var shape: Shape
}

struct ValueSyntax: Sendable {
  enum Kind: Sendable {
    /// nil: more than 128 bits.
    case integer(Int128?)
    /// The literal, so that it is rounded once, to the field's type.
    case floating(String)
    /// What a function made.
    case computed(Double)
    case string(String)
    /// `true`, `null`, `inf`, `Red`, `Color.Red`
    case path([String])
    case emptyVector
  }

  var kind: Kind
  var position: Int
  /// As it was written.
  var text: String
}

struct EnumSyntax: Sendable {
  var header: HeaderSyntax
  /// nil where it is missing and that has been reported.
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
  /// nil: more than 128 bits.
  var value: Int128?
  var position: Int
}

struct UnionSyntax: Sendable {
  var header: HeaderSyntax
  var members: [UnionMemberSyntax] = []
}

struct UnionMemberSyntax: Sendable {
  /// Before the colon.
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
