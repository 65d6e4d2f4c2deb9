/// Emits a `union` as an enum with a case for each member. `NONE` has no case: an optional is nil instead.
struct UnionEmitter {
  let definition: UnionDefinition
  let scope: SwiftScope
  let isIndirect: Bool

  func emit(to writer: inout CodeWriter) {
    let name = scope.declaredName
    writer.documentation(definition.declaration.documentation)
    writer.type(
      "public \(isIndirect ? "indirect " : "")enum \(name)",
      [scope.buffers("FlatBufferUnion"), scope.entities("FlatBuffersEncodable"), scope.standard("Hashable")]
    ) { writer in
      // The cases, with the members as payloads.
      for member in definition.members {
        writer.documentation(member.declaration.documentation)
        writer.call("case \(caseName(member))", [payload(member)])
      }
      if !definition.members.isEmpty { writer.line() }
      writer.emitAliases(of: scope)
      emitLayout(to: &writer)
      writer.line()
      emitDecoding(to: &writer)
      writer.line()
      emitEncoding(to: &writer)
      writer.line()
      UnionQueryFieldsEmitter(definition: definition, scope: scope).emit(to: &writer)
    }
  }

  private func emitLayout(to writer: inout CodeWriter) {
    writer.line("public static let flatBufferLayout: \(scope.buffers("UnionLayout")) = .init(")
    writer.indented { writer in
      writer.line("\(SwiftLiterals.quoted(definition.name.description)),")
      if definition.members.isEmpty { return writer.line("members: [:])") }
      writer.line("members: [")
      writer.indented { writer in
        for member in definition.members {
          let layout =
            switch member.type {
            case .table(let index): ".table { \(scope.expression(.table(index))).flatBufferLayout }"
            case .structure(let index): ".structure(\(scope.expression(.structure(index))).flatBufferLayout)"
            case .string: ".string"
            }
          writer.line("\(member.kind): \(layout)" + (definition.members.count > 1 ? "," : ""))
        }
      }
      writer.line("])")
    }
  }

  private func emitDecoding(to writer: inout CodeWriter) {
    writer.function(
      "public init?",
      ["kind: \(scope.standard("UInt8"))", "_ member: \(scope.buffers("FlatBufferUnionMember"))"],
      " throws(\(scope.buffers("FlatBufferError")))"
    ) { writer in
      if definition.members.isEmpty { return writer.line("return nil") }
      writer.line("switch kind {")
      for member in definition.members {
        let read =
          switch member.type {
          case .table: "table"
          case .structure: "structure"
          case .string: "string"
          }
        writer.line("case \(member.kind): self = .\(caseName(member))(try member.\(read)())")
      }
      writer.line("default: return nil")
      writer.line("}")
    }
  }

  private func emitEncoding(to writer: inout CodeWriter) {
    writer.block("public var flatBufferKind: \(scope.standard("UInt8"))") { writer in
      if definition.members.isEmpty { return writer.line("switch self {}") }
      writer.line("switch self {")
      for member in definition.members { writer.line("case .\(caseName(member)): \(member.kind)") }
      writer.line("}")
    }
    writer.line()
    writer.function(
      "public func to", ["flatBufferBuilder builder: inout \(scope.buffers("FlatBufferBuilder"))"],
      " -> \(scope.buffers("FlatBufferOffset"))"
    ) { writer in
      if definition.members.isEmpty { return writer.line("switch self {}") }
      writer.line("switch self {")
      for member in definition.members {
        writer.line("case .\(caseName(member))(let member): builder.create(member)")
      }
      writer.line("}")
    }
  }

  private func caseName(_ member: UnionDefinition.Member) -> String {
    ReservedNames.unionCase(member.declaration.swiftName)
  }

  private func payload(_ member: UnionDefinition.Member) -> String {
    switch member.type {
    case .table(let index): scope.shortReference(.table(index))
    case .structure(let index): scope.shortReference(.structure(index))
    case .string: scope.standard("String")
    }
  }
}
