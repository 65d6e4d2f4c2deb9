/// Emits the fields of a table or a struct in queries: `_Fields`, one type for all entities that contain such a value
/// and all paths to it; and for a root the static properties `Post.priority`, `Post.content`.
struct QueryFieldsEmitter {
  private let members: [Member]
  private let scope: SwiftScope

  /// A field that can be queried or has fields itself.
  private struct Member {
    let name: String
    let documentation: [String]
    let kind: Kind

    enum Kind {
      /// A value of a Swift type.
      case value(String, StoredLeaf, key: Int?)
      /// A vector of a Swift type, and the Swift expression of its elements.
      case vector(String, slot: Int, element: String)
      /// A struct or a table.
      case nested(TypeID, StoredPath.Step)
      case union(Int, slot: Int)
    }
  }

  init(fields: [TableDefinition.Field], scope: SwiftScope) {
    let schema = scope.context.schema
    // The position of each field in the primary key: these fields are columns.
    var keys = 0
    self.scope = scope
    members = fields.filter { !$0.isDeprecated }.compactMap { field in
      let kind: Member.Kind
      switch field.type {
      case .vector(let type):
        // Queries can't test elements of the other types.
        guard let element = schema.vectorElement(type) else { return nil }
        kind = .vector(
          TableField(field, isIndirect: false, in: scope).elementType, slot: field.slot, element: element.swift)
      case .element(.structure(let index)): kind = .nested(.structure(index), .structure(slot: field.slot))
      case .element(.table(let index)): kind = .nested(.table(index), .table(slot: field.slot))
      case .element(.union(let index)): kind = .union(index, slot: field.slot)
      case .element(.scalar), .element(.enumeration), .element(.string):
        guard let leaf = schema.leaf(of: field) else { return nil }
        kind = .value(
          TableField(field, isIndirect: false, in: scope).elementType, leaf, key: field.isPrimary ? keys : nil)
        if field.isPrimary { keys += 1 }
      }
      return Self.member(field.declaration, kind)
    }
  }

  init(fields: [StructDefinition.Field], scope: SwiftScope) {
    let schema = scope.context.schema
    self.scope = scope
    members = fields.filter { !$0.isDeprecated }.compactMap { field in
      guard case .element(let element) = field.type else { return nil }
      let type: String
      switch element {
      case .structure(let index):
        return Self.member(field.declaration, .nested(.structure(index), .inner(offset: field.offset)))
      case .scalar(let scalar): type = scope.scalar(scalar)
      case .enumeration(let index): type = scope.reference(.enumeration(index))
      }
      return schema.leaf(of: field).map { leaf in
        Self.member(field.declaration, .value(type, leaf, key: nil))
      }
    }
  }

  private static func member(_ declaration: Declaration, _ kind: Member.Kind) -> Member {
    Member(
      name: ReservedNames.queryField(ReservedNames.property(declaration.swiftName)),
      documentation: declaration.documentation, kind: kind)
  }

  func emit(to writer: inout CodeWriter) {
    writer.emitQueryFields(place: "FieldPlace", in: scope) { writer in
      for member in members {
        writer.documentation(member.documentation)
        let head = "public var \(member.name): \(type(of: member, root: "_Root"))"
        switch member.kind {
        case .value(_, let leaf, let key):
          writer.accessorCall(head, "_place.field", [leaf.swift] + (key.map { ["key: \($0)"] } ?? []))
        case .vector(_, let slot, let element):
          writer.accessorCall(head, "_place.vector", ["\(slot)", "of: \(element)"])
        case .nested(_, let step):
          writer.accessor(head, ".init(_place.at(\(step.swift)))")
        case .union(let index, let slot):
          let kinds = scope.context.schema.unions[index].kinds
          writer.accessorCall(head, ".init", ["_place.union(\(slot), known: \(kinds))"])
        }
      }
    }
  }

  /// Writes the static properties of a root.
  func emitStatic(to writer: inout CodeWriter) {
    let root = scope.ownReference()
    writer.assignment("private static let _fields: _Fields<\(root)>", ".init(.init())")
    for member in members {
      writer.documentation(member.documentation)
      writer.assignment(
        "public static let \(member.name): \(type(of: member, root: root))", "_fields.\(member.name)")
    }
  }

  private func type(of member: Member, root: String) -> String {
    switch member.kind {
    case .value(let type, _, _): "\(scope.entities("FieldExpr"))<\(type), \(root)>"
    case .vector(let type, _, _): "\(scope.entities("VectorExpr"))<\(type), \(root)>"
    case .nested(let type, _): "\(scope.reference(type))._Fields<\(root)>"
    case .union(let index, _): "\(scope.reference(.union(index)))._Fields<\(root)>"
    }
  }
}

/// Emits a union in queries: its kind, and the fields of its members.
struct UnionQueryFieldsEmitter {
  let definition: UnionDefinition
  let scope: SwiftScope

  func emit(to writer: inout CodeWriter) {
    let int = "\(scope.entities("FieldExpr"))<\(scope.standard("Int32")), _Root>"
    let constant = "\(scope.entities("ValueExpr"))<\(scope.standard("Int32")), _Root>"
    let match = "\(scope.entities("EqualToExpr"))<\(int), \(constant), _Root>"
    // The number of the stored member.
    writer.emitQueryFields(place: "UnionPlace", in: scope) { writer in
      writer.line("/// The stored member's number; null if there is none.")
      writer.accessor("public var _type: \(int)", "_place.kind")
      for member in definition.members {
        // For each member, a test of the number and the way to its fields.
        let (type, fields, place) = parts(of: member)
        let label = definition.label(of: member, in: scope.context.schema) ?? "_"
        // The label `type` is the parameter's name, too.
        let parameter = label == "type" ? "type: \(type).Type" : "\(label) type: \(type).Type"
        writer.line()
        writer.line("/// True if this member is stored.")
        writer.function("public func match", [parameter], " -> \(match)") {
          $0.line("_place.isKind(\(member.kind))")
        }
        writer.line()
        writer.line("/// \(fields == nil ? "The member" : "The member's fields"); null if another one is stored.")
        writer.documentation(member.declaration.documentation.isEmpty ? [] : [""] + member.declaration.documentation)
        let result = fields ?? "\(scope.entities("FieldExpr"))<\(type), _Root>"
        writer.function("public func `as`", [parameter], " -> \(result)") { $0.line(place) }
      }
    }
  }

  /// Returns a member's type, the type of its fields, and the expression for these. A string has no fields, and is a
  /// field itself.
  private func parts(of member: UnionDefinition.Member) -> (type: String, fields: String?, place: String) {
    switch member.type {
    case .table(let index):
      let type = scope.reference(.table(index))
      return (type, "\(type)._Fields<_Root>", ".init(_place.table(\(member.kind)))")
    case .structure(let index):
      let type = scope.reference(.structure(index))
      return (type, "\(type)._Fields<_Root>", ".init(_place.structure(\(member.kind)))")
    case .string:
      return (scope.standard("String"), nil, "_place.string(\(member.kind))")
    }
  }
}

extension CodeWriter {
  /// Writes the type `_Fields` with the members that `body` writes.
  fileprivate mutating func emitQueryFields(
    place: String, in scope: SwiftScope, _ body: (inout CodeWriter) -> Void
  ) {
    line("/// The fields of \(scope.type.withArticle) in queries.")
    block("public struct _Fields<_Root: \(scope.entities("Atom"))>: \(scope.standard("Sendable"))") { writer in
      writer.line("private let _place: \(scope.entities(place))<_Root>")
      writer.line()
      writer.line("public init(_ place: \(scope.entities(place))<_Root>) { _place = place }")
      var members = CodeWriter(like: writer)
      body(&members)
      if members.text.isEmpty { return }
      writer.line()
      writer.append(members)
    }
  }
}
