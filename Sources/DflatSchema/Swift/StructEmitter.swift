/// Emits a fixed `struct` as a Swift struct that is read and written in place.
struct StructEmitter {
  let definition: StructDefinition
  let scope: SwiftScope

  func emit(to writer: inout CodeWriter) {
    let fields = definition.fields.filter { !$0.isDeprecated }
    writer.documentation(definition.declaration.documentation)
    writer.type(
      "public struct \(scope.declaredName)",
      [scope.buffers("FlatBufferStructure"), scope.entities("FlatBuffersCodable"), scope.standard("Hashable")]
    ) { writer in
      // The properties, initializers and layout, then the coding.
      for field in fields { emitProperty(field, to: &writer) }
      writer.line()
      writer.emitAliases(of: scope)
      writer.emitMemberwiseInitializer(fields.map(property))
      writer.line()
      writer.emitSchemaVersion(definition.version, in: scope)
      writer.line()
      writer.call(
        "public static let flatBufferLayout: \(scope.buffers("StructLayout")) = .init",
        [
          SwiftLiterals.quoted(definition.name.description), "size: \(definition.size)",
          "alignment: \(definition.alignment)",
        ] + (definition.arrays == 0 ? [] : ["arrays: \(definition.arrays)"]))
      writer.line()
      emitDecoding(fields, to: &writer)
      writer.line()
      emitEncoding(fields, to: &writer)
      writer.line()
      QueryFieldsEmitter(fields: definition.fields, scope: scope).emit(to: &writer)
    }
  }

  private func emitProperty(_ field: StructDefinition.Field, to writer: inout CodeWriter) {
    let property = property(field)
    writer.documentation(property.documentation)
    guard case .array(let element, let count) = field.type else {
      return writer.declaration("public var \(property.name)", property.type)
    }
    // In the observer, `oldValue` alone is the property's former value.
    let value = property.name == "oldValue" ? "self.oldValue" : property.name
    // Fill in a short array as soon as it is set, so that it equals the one that is read back.
    writer.block("public var \(property.name): \(property.type)") {
      $0.accessor("didSet", "\(value) = \(padded(value, element, count))")
    }
  }

  private func emitDecoding(_ fields: [StructDefinition.Field], to writer: inout CodeWriter) {
    writer.function(
      "public init", ["_ structure: \(scope.buffers("FlatBufferStruct"))"],
      " throws(\(scope.buffers("FlatBufferError")))"
    ) { writer in
      for field in fields {
        let name = ReservedNames.property(field.declaration.swiftName)
        writer.assignment(name == "structure" ? "self.structure" : name, "try structure.\(read(field))")
      }
    }
  }

  private func emitEncoding(_ fields: [StructDefinition.Field], to writer: inout CodeWriter) {
    writer.function(
      "public func write", ["to writer: inout \(scope.buffers("FlatBufferStructWriter"))"]
    ) { writer in
      for field in fields {
        let name = ReservedNames.property(field.declaration.swiftName)
        var arguments = [name == "writer" ? "self.writer" : name, "at: \(field.offset)"]
        if case .array(_, let count) = field.type { arguments.insert("count: \(count)", at: 1) }
        writer.call("writer.write", arguments)
      }
    }
  }

  private func read(_ field: StructDefinition.Field) -> String {
    switch field.type {
    case .element(.scalar): "scalar(\(field.offset))"
    case .element(.enumeration): "enumeration(\(field.offset), default: \(zero(field.type.element)))"
    case .element(.structure): "structure(\(field.offset))"
    case .array(_, let count): "array(\(field.offset), count: \(count))"
    }
  }

  private func property(_ field: StructDefinition.Field) -> Property {
    let name = ReservedNames.property(field.declaration.swiftName)
    let element = typeName(field.type.element)
    let zero = zero(field.type.element)
    switch field.type {
    case .element(let type):
      var isStructure = false
      if case .structure = type { isStructure = true }
      return Property(
        name: name, type: element, documentation: field.declaration.documentation, parameterType: element + "?",
        defaultArgument: isStructure ? "nil" : SwiftScope.asOptional(zero), initialValue: name,
        fallback: zero)
    case .array(let type, let count):
      return Property(
        name: name, type: "[\(element)]", documentation: field.declaration.documentation,
        parameterType: "[\(element)]?", defaultArgument: "[]",
        initialValue: padded("\(name) ?? []", type, count), fallback: nil)
    }
  }

  private func padded(_ array: String, _ element: StructDefinition.ElementType, _ count: Int) -> String {
    "\(scope.buffers("FlatBuffer")).padded(\(array), to: \(count), with: \(zero(element)))"
  }

  private func typeName(_ type: StructDefinition.ElementType) -> String {
    switch type {
    case .scalar(let type): scope.scalar(type)
    case .enumeration(let index): scope.reference(.enumeration(index))
    case .structure(let index): scope.reference(.structure(index))
    }
  }

  private func zero(_ type: StructDefinition.ElementType) -> String {
    switch type {
    case .scalar(let type):
      return scope.zero(type)
    case .enumeration(let index):
      let definition = scope.context.schema.enums[index]
      return scope.literal(definition.defaultNumber, of: definition)
    case .structure(let index):
      return scope.expression(.structure(index)) + "()"
    }
  }
}

extension StructDefinition.FieldType {
  /// The type itself, or that of an array's elements.
  fileprivate var element: StructDefinition.ElementType {
    switch self {
    case .element(let type), .array(let type, count: _): type
    }
  }
}
