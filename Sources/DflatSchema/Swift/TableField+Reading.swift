/// The layout of a field, and the code that reads it.
extension TableField {
  /// Writes the field's layout: `.string("title", 4, required: true)`.
  func emitLayout(to writer: inout CodeWriter, after end: String) {
    var arguments = [SwiftLiterals.quoted(field.name), "\(field.slot)"]
    if isRequired { arguments.append("required: true") }
    switch field.type {
    case .vector(let element):
      // A closure delays the layouts of tables and unions, which may refer to each other in cycles.
      if let nestedLayout {
        writer.call(".nested", arguments, closure: nestedLayout, end)
      } else {
        if let alignment = field.forcedAlignment { arguments.append("alignment: \(alignment)") }
        writer.call(".vector", arguments + ["of: \(elementLayout(element))"], end)
      }
    case .element(.scalar(let type)):
      writer.call(".scalar", arguments + ["\(scope.scalar(type)).self"], end)
    case .element(.enumeration(let index)):
      writer.call(".enumeration", arguments + ["\(scope.expression(.enumeration(index))).self"], end)
    case .element(.string):
      writer.call(".string", arguments, end)
    case .element(.structure(let index)):
      writer.call(".structure", arguments + [layout(.structure(index))], end)
    case .element(.table(let index)):
      writer.call(".table", arguments, closure: layout(.table(index)), end)
    case .element(.union(let index)):
      writer.call(".union", arguments, closure: layout(.union(index)), end)
    }
  }

  /// The layout of the buffer in a vector of bytes.
  var nestedLayout: String? { field.nestedTable.map { layout(.table($0)) } }

  /// The expression that reads the property from a table.
  var reading: String {
    switch field.type {
    case .element(.scalar), .element(.enumeration):
      let kind = if case .element(.scalar) = field.type { "scalar" } else { "enumeration" }
      return isOptional ? "table.\(kind)(\(field.slot))" : "table.\(kind)(\(field.slot), default: \(fallback ?? "0"))"
    case .element(let element):
      return orFallback("table.\(Self.reader(element))(\(field.slot))")
    case .vector(let element):
      return orFallback("table.\(Self.reader(element))s(\(field.slot))")
    }
  }

  private func orFallback(_ read: String) -> String {
    if isRequired { return "table.required(\(read), \(field.slot))" }
    if isVector { return read + " ?? []" }
    return fallback.map { "\(read) ?? \($0)" } ?? read
  }

  private func layout(_ type: TypeID) -> String { scope.expression(type) + ".flatBufferLayout" }

  private func elementLayout(_ element: TableDefinition.ElementType) -> String {
    switch element {
    case .scalar(let type):
      ".scalar(size: \(type.size))"
    case .enumeration(let index):
      ".scalar(size: \(scope.context.schema.enums[index].base.size))"
    case .string:
      ".string"
    case .structure(let index):
      ".structure(\(layout(.structure(index))))"
    case .table(let index):
      ".table { \(layout(.table(index))) }"
    case .union(let index):
      ".union { \(layout(.union(index))) }"
    }
  }

  private static func reader(_ element: TableDefinition.ElementType) -> String {
    switch element {
    case .scalar: "scalar"
    case .enumeration: "enumeration"
    case .string: "string"
    case .structure: "structure"
    case .table: "table"
    case .union: "union"
    }
  }
}
