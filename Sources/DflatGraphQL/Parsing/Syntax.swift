// The syntax trees of documents (section 2 of the specification, and the type system's in section 3).

/// A place in one of the files that are compiled together.
struct Place: Hashable, Sendable {
  /// The index of the file.
  let file: Int
  /// The byte in its text.
  let offset: Int
}

/// A name and its place.
struct NameSyntax: Sendable {
  let text: String
  let place: Place
}

/// A document: the definitions of a file, in its order.
struct DocumentSyntax: Sendable {
  var definitions: [DefinitionSyntax] = []
  /// True if a definition is missing because it has an error. What refers to unknown names may be the consequence.
  var hasLostDefinitions = false
}

enum DefinitionSyntax: Sendable {
  case operation(OperationSyntax)
  case fragment(FragmentSyntax)
  case schema(SchemaSyntax)
  case type(TypeSyntax)
  case directive(DirectiveDefinitionSyntax)
}

// MARK: Operations

struct OperationSyntax: Sendable {
  enum Kind: String, CaseIterable, Sendable { case query, mutation, subscription }

  let kind: Kind
  /// Nil for an anonymous operation.
  let name: NameSyntax?
  let place: Place
  var variables: [VariableDefinitionSyntax] = []
  var directives: [DirectiveSyntax] = []
  var selections: [SelectionSyntax] = []
}

struct VariableDefinitionSyntax: Sendable {
  let name: NameSyntax
  let type: TypeReferenceSyntax
  let defaultValue: ValueSyntax?
  let directives: [DirectiveSyntax]
}

struct FragmentSyntax: Sendable {
  let name: NameSyntax
  let condition: NameSyntax
  let directives: [DirectiveSyntax]
  let selections: [SelectionSyntax]
}

enum SelectionSyntax: Sendable {
  case field(FieldSyntax)
  case spread(SpreadSyntax)
  case inline(InlineFragmentSyntax)
}

/// A field of a selection. A class, because the rule of mergeable fields compares selections by identity.
final class FieldSyntax: Sendable {
  let alias: NameSyntax?
  let name: NameSyntax
  let arguments: [ArgumentSyntax]
  let directives: [DirectiveSyntax]
  /// Empty if the field has no braces.
  let selections: [SelectionSyntax]

  init(
    alias: NameSyntax?, name: NameSyntax, arguments: [ArgumentSyntax], directives: [DirectiveSyntax],
    selections: [SelectionSyntax]
  ) {
    self.alias = alias
    self.name = name
    self.arguments = arguments
    self.directives = directives
    self.selections = selections
  }

  /// The key of the field's value in a response.
  var responseName: String { (alias ?? name).text }
  var place: Place { (alias ?? name).place }
}

struct SpreadSyntax: Sendable {
  let name: NameSyntax
  let directives: [DirectiveSyntax]
}

struct InlineFragmentSyntax: Sendable {
  let place: Place
  let condition: NameSyntax?
  let directives: [DirectiveSyntax]
  let selections: [SelectionSyntax]
}

struct ArgumentSyntax: Sendable {
  let name: NameSyntax
  let value: ValueSyntax
}

struct DirectiveSyntax: Sendable {
  let name: NameSyntax
  let arguments: [ArgumentSyntax]
}

// MARK: Values and types

struct ValueSyntax: Sendable {
  indirect enum Kind: Sendable {
    case variable(String)
    /// The digits as they are written, because they may exceed every integer type.
    case integer(String)
    case float(String)
    case string(String)
    case boolean(Bool)
    case null
    case enumeration(String)
    case list([ValueSyntax])
    case object([ArgumentSyntax])
  }

  let kind: Kind
  let place: Place
}

struct TypeReferenceSyntax: Sendable {
  indirect enum Kind: Sendable {
    case named(String)
    case list(TypeReferenceSyntax)
  }

  let kind: Kind
  let isNonNull: Bool
  let place: Place

  /// The name of the type without lists.
  var name: NameSyntax {
    switch kind {
    case .named(let name): NameSyntax(text: name, place: place)
    case .list(let element): element.name
    }
  }
}

// MARK: Type system

/// `schema { … }` or `extend schema { … }`.
struct SchemaSyntax: Sendable {
  let place: Place
  let isExtension: Bool
  let directives: [DirectiveSyntax]
  let operations: [OperationTypeSyntax]
}

struct OperationTypeSyntax: Sendable {
  let kind: OperationSyntax.Kind
  let place: Place
  let type: NameSyntax
}

/// The definition of a type, or its extension.
struct TypeSyntax: Sendable {
  enum Kind: String, Sendable {
    case scalar, object, interface, union
    case enumeration = "enum"
    case input
  }

  let kind: Kind
  let isExtension: Bool
  let description: String?
  let name: NameSyntax
  let directives: [DirectiveSyntax]
  /// The interfaces of an object or an interface.
  var interfaces: [NameSyntax] = []
  /// The fields of an object or an interface.
  var fields: [FieldDefinitionSyntax] = []
  /// The members of a union.
  var members: [NameSyntax] = []
  /// The values of an enum.
  var values: [EnumValueSyntax] = []
  /// The fields of an input object.
  var inputs: [InputValueSyntax] = []
}

struct FieldDefinitionSyntax: Sendable {
  let description: String?
  let name: NameSyntax
  let arguments: [InputValueSyntax]
  let type: TypeReferenceSyntax
  let directives: [DirectiveSyntax]
}

/// An argument's definition, or a field of an input object.
struct InputValueSyntax: Sendable {
  let description: String?
  let name: NameSyntax
  let type: TypeReferenceSyntax
  let defaultValue: ValueSyntax?
  let directives: [DirectiveSyntax]
}

struct EnumValueSyntax: Sendable {
  let description: String?
  let name: NameSyntax
  let directives: [DirectiveSyntax]
}

struct DirectiveDefinitionSyntax: Sendable {
  let description: String?
  let name: NameSyntax
  let arguments: [InputValueSyntax]
  let isRepeatable: Bool
  let locations: [NameSyntax]
}
