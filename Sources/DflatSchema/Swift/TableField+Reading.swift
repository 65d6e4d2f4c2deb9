/// How a field is described to the verifier, and read.
extension TableField {
  /// `.string("title", 4, required: true)`
  var layout: String {
    var arguments = [SwiftScope.quoted(field.name), "\(field.slot)"]
    if isRequired { arguments.append("required: true") }
    var closure = ""
    let kind: String
    switch field.type {
    case .vector(let element):
      if let alignment = field.forcedAlignment { arguments.append("alignment: \(alignment)") }
      if let nested = field.nestedTable {
        kind = "nested"
        closure = layoutClosure(.table(nested))
      } else {
        kind = "vector"
        arguments.append("of: \(elementLayout(element))")
      }
    case .element(.scalar):
      kind = "scalar"
      arguments.append("\(elementType).self")
    case .element(.enumeration):
      kind = "enumeration"
      arguments.append("\(elementType).self")
    case .element(.string):
      kind = "string"
    case .element(.structure):
      kind = "structure"
      arguments.insert("\(elementType).flatBufferLayout", at: 2)
    case .element(.table(let index)):
      kind = "table"
      closure = layoutClosure(.table(index))
    case .element(.union(let index)):
      kind = "union"
      closure = layoutClosure(.union(index))
    }
    return ".\(kind)(\(arguments.joined(separator: ", ")))\(closure)"
  }

  /// What the property becomes for a table in the bytes.
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

  private func layoutClosure(_ type: TypeID) -> String { " { \(scope.reference(type)).flatBufferLayout }" }

  private func elementLayout(_ element: TableDefinition.ElementType) -> String {
    switch element {
    case .scalar(let type):
      ".scalar(size: \(type.size))"
    case .enumeration(let index):
      ".scalar(size: \(scope.context.schema.enums[index].base.size))"
    case .string:
      ".string"
    case .structure:
      ".structure(\(elementType).flatBufferLayout)"
    case .table(let index):
      ".table\(layoutClosure(.table(index)))"
    case .union(let index):
      ".union\(layoutClosure(.union(index)))"
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
