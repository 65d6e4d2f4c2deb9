/// Emits the function that writes a table: first its children, then its own fields.
///
/// The order is that of `flatc --binary`, so that both write the same bytes: children in the order of the vtable;
/// fields by size, the largest first, and within a size from the vtable's end; with `original_order` from the vtable's
/// end regardless of size.
struct TableWriting {
  private let fields: [TableField]
  private let table: TableDefinition
  private let scope: SwiftScope
  /// The variables that hold the offsets of children, by the slot that refers to each.
  private var variables: [Int: String] = [:]
  private var takenNames: Set<String> = ["builder"]

  init(_ fields: [TableField], of table: TableDefinition, in scope: SwiftScope) {
    self.fields = fields.sorted { $0.field.slot < $1.field.slot }
    self.table = table
    self.scope = scope
    for field in self.fields where field.isChild {
      variables[field.field.slot] = take(field.name)
    }
    for field in self.fields where field.isUnionVector {
      variables[field.field.slot - 2] = take(field.field.declaration.swiftName + "Kinds")
    }
  }

  func emit(to writer: inout CodeWriter) {
    writer.function(
      "public func to", ["flatBufferBuilder builder: inout \(scope.buffers("FlatBufferBuilder"))"],
      " -> \(scope.buffers("FlatBufferOffset"))"
    ) { writer in
      for field in fields where field.isChild { emitChild(field, to: &writer) }
      let slots = table.fields.map { ($0.slot - 2) / 2 }.max() ?? 0
      writer.line("builder.startTable(slots: \(slots))")
      for entry in entries {
        writer.call("builder.add", entry.arguments)
      }
      writer.line("return builder.endTable()")
    }
  }

  private func emitChild(_ field: TableField, to writer: inout CodeWriter) {
    let slot = field.field.slot
    var label = field.isVector ? field.isRequired ? "vector: " : "nonEmpty: " : ""
    if field.nestedLayout != nil { label = field.isRequired ? "nested: " : "nonEmptyNested: " }
    var arguments = ["\(label)self.\(field.name)"]
    if field.field.isShared, case .string = field.element { arguments.append("shared: true") }
    if let alignment = field.field.forcedAlignment { arguments.append("alignment: \(alignment)") }
    if let layout = field.nestedLayout { arguments.append("of: \(layout)") }
    if let kinds = variables[slot - 2], field.isUnionVector {
      let label = field.isRequired ? "kinds: " : "nonEmptyKinds: "
      writer.call("let \(kinds) = builder.create", ["\(label)self.\(field.name)"])
    }
    writer.call("let \(variables[slot]!) = builder.create", arguments)
  }

  /// A call of `add`, and the values that determine its order.
  private struct Entry {
    let slot: Int
    let size: Int
    let arguments: [String]
  }

  private var entries: [Entry] {
    fields.flatMap(entries).sorted { left, right in
      if !table.keepsOriginalOrder, left.size != right.size { return left.size > right.size }
      return left.slot > right.slot
    }
  }

  private func entries(_ field: TableField) -> [Entry] {
    let slot = field.field.slot
    switch field.field.type {
    case .element(.scalar(let type)):
      return [Entry(slot: slot, size: type.size, arguments: scalarArguments(field))]
    case .element(.enumeration(let index)):
      return [Entry(slot: slot, size: scope.context.schema.enums[index].base.size, arguments: scalarArguments(field))]
    case .element(.structure):
      return [Entry(slot: slot, size: 4, arguments: [value(field), "at: \(slot)"])]
    case .element(.union):
      // The kind of a union has the slot before it.
      let kind = field.isOptional ? "\(value(field))?.flatBufferKind ?? 0" : "\(value(field)).flatBufferKind"
      return [
        Entry(slot: slot - 2, size: 1, arguments: [kind, "at: \(slot - 2)", "default: 0"]),
        Entry(slot: slot, size: 4, arguments: [variables[slot]!, "at: \(slot)"]),
      ]
    case .element, .vector:
      // Strings, tables and vectors were written before, into variables.
      var entries = [Entry(slot: slot, size: 4, arguments: [variables[slot]!, "at: \(slot)"])]
      if field.isUnionVector {
        entries.append(Entry(slot: slot - 2, size: 4, arguments: [variables[slot - 2]!, "at: \(slot - 2)"]))
      }
      return entries
    }
  }

  private func scalarArguments(_ field: TableField) -> [String] {
    let arguments = [value(field), "at: \(field.field.slot)"]
    return field.isOptional ? arguments : arguments + ["default: \(field.fallback ?? "0")"]
  }

  /// Returns the property, with `self` if a variable has its name.
  private func value(_ field: TableField) -> String {
    takenNames.contains(field.name) ? "self." + field.name : field.name
  }

  private mutating func take(_ name: String) -> String {
    var name = name
    while !takenNames.insert(name).inserted { name += "Offset" }
    return name
  }
}

extension TableField {
  /// True if the field is written before the table, which refers to it.
  fileprivate var isChild: Bool {
    switch field.type {
    case .vector, .element(.string), .element(.table), .element(.union): true
    case .element(.scalar), .element(.enumeration), .element(.structure): false
    }
  }

  fileprivate var isUnionVector: Bool {
    if case .vector(.union) = field.type { true } else { false }
  }
}
