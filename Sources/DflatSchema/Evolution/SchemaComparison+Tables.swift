import DflatSupport

extension SchemaComparison {
  /// Compares each field with its successor: the field in the same slot, or the field of the same name if it has moved.
  mutating func compare(_ oldTable: TableDefinition, _ newTable: TableDefinition) {
    // Find the successor of each old field.
    let newBySlot = Dictionary(newTable.fields.map { ($0.slot, $0) }) { first, _ in first }
    let newByName = Dictionary(newTable.fields.map { ($0.name, $0) }) { first, _ in first }
    let oldNames = Set(oldTable.fields.map(\.name))
    // A plain value that becomes an entity has no stored objects to lose.
    let comparesKeys = oldTable.isEntity && newTable.isRoot
    var successors = FieldSuccessors()
    for field in oldTable.fields {
      let successor = newBySlot[field.slot]
      if successor?.name != field.name, let moved = newByName[field.name],
        !isReplacement(successor, ofFieldsNamed: oldNames)
      {
        report(
          moved.declaration.location, "'\(field.name)' has moved from id \(field.id) to id \(moved.id)",
          advice: "append new fields after the old ones, deprecate fields instead of removing them, or write ids")
        successors.add(moved.slot, after: field.slot)
      } else if let successor, successor.name == field.name || !oldNames.contains(successor.name) {
        // Joining or leaving a primary key may also make a field required or optional. Report the change once.
        compare(field, successor, isOfOtherKey: comparesKeys && field.isPrimary != successor.isPrimary)
        successors.add(successor.slot, after: field.slot)
      } else {
        report(
          newTable.declaration.location, "the field '\(field.name)' with the id \(field.id) was removed",
          advice: "keep it and mark it as 'deprecated', so that no other field gets its id")
      }
    }
    // Old bytes lack new fields, so these can't be required. `comparePrimaryKeys` reports new fields of a key.
    for field in newTable.fields where field.isRequired && successors.predecessors[field.slot] == nil {
      guard !(comparesKeys && field.isPrimary) else { continue }
      report(
        field.declaration.location,
        "the new field '\(field.name)' is \(field.requiredWord), but existing data doesn't have it",
        advice: "make it optional")
    }
    if comparesKeys { comparePrimaryKeys(oldTable, newTable, successors) }
  }

  /// Returns true for a field that was deprecated and renamed, so that another one could take its name.
  private func isReplacement(_ successor: TableDefinition.Field?, ofFieldsNamed oldNames: Set<String>) -> Bool {
    guard let successor else { return false }
    return successor.isDeprecated && !oldNames.contains(successor.name)
  }

  private mutating func compare(
    _ oldField: TableDefinition.Field, _ newField: TableDefinition.Field, isOfOtherKey: Bool
  ) {
    let location = newField.declaration.location
    let name =
      newField.name == oldField.name ? "'\(newField.name)'" : "'\(newField.name)' (formerly '\(oldField.name)')"
    // The type of the bytes must stay. After an error in it, others would only repeat it.
    guard matches(oldField.type, newField.type) else {
      let newText = new.text(of: newField.type)
      let oldText = old.text(of: oldField.type)
      report(
        location,
        newText == oldText
          ? "\(name) is \(newField.type.description) and was \(oldField.type.description)"
          : "\(name) is \(newText) and was \(oldText)",
        advice: "keep the old field as 'deprecated' and append another")
      return
    }
    // A field that one program requires must be in the bytes of all of them.
    if oldField.isRequired && newField.isDeprecated {
      report(
        location, "\(name) was \(oldField.requiredWord); old programs refuse data without it",
        advice: "keep it" + (versionedType == nil ? "" : ", or change 'v' of the table"), mentionsVersion: true)
    } else if oldField.isRequired != newField.isRequired, !isOfOtherKey {
      report(
        location,
        newField.isRequired
          ? "\(name) has become \(newField.requiredWord), but existing data may not have it"
          : "\(name) was \(oldField.requiredWord); old programs refuse data without it",
        advice: "leave it as it was, or append another field")
    }
    // Compare what else the verifier of one program checks in the bytes of the other.
    compareNestedTables(oldField, newField, name)
    compareRequiredUnions(oldField, newField, name)
    // Compare the defaults of a field that is no longer deprecated too: bytes from before its deprecation are read
    // again.
    guard !newField.isDeprecated else { return }
    if old.effectiveDefault(of: oldField) != new.effectiveDefault(of: newField) {
      report(
        location,
        "\(name) has the default \(new.text(ofDefaultOf: newField)) and had \(old.text(ofDefaultOf: oldField)); "
          + "defaults are not stored, so existing data would change its meaning",
        advice: "keep the default")
    }
  }

  private mutating func compareNestedTables(
    _ oldField: TableDefinition.Field, _ newField: TableDefinition.Field, _ name: String
  ) {
    let (oldTable, newTable) = (oldField.nestedTable, newField.nestedTable)
    guard let oldTable, let newTable else {
      guard (oldTable == nil) != (newTable == nil) else { return }
      report(
        newField.declaration.location,
        oldTable == nil
          ? "\(name) has become a nested buffer, but existing data may contain anything there"
          : "\(name) was a nested buffer; old programs refuse data that contains anything else there",
        advice: "leave it as it was, or append another field")
      return
    }
    if !matches(TypeReference.table(oldTable), TypeReference.table(newTable)) {
      report(
        newField.declaration.location,
        "\(name) nests '\(new.tables[newTable].name)' and used to nest '\(old.tables[oldTable].name)'",
        advice: "append another field")
    }
  }

  // MARK: Types of fields

  private mutating func matches(_ oldType: TableDefinition.FieldType, _ newType: TableDefinition.FieldType) -> Bool {
    switch (oldType, newType) {
    case (.element(let oldElement), .element(let newElement)), (.vector(let oldElement), .vector(let newElement)):
      matches(oldElement, newElement)
    default: false
    }
  }

  private mutating func matches(_ oldType: TableDefinition.ElementType, _ newType: TableDefinition.ElementType) -> Bool
  {
    switch (oldType.reference, newType.reference) {
    case (let oldReference?, let newReference?): matches(oldReference, newReference)
    case (nil, nil): oldType == newType
    default: false
    }
  }
}

extension TableDefinition.Field {
  /// The number that the `id` attribute gives.
  var id: Int { (slot - 4) / 2 }

  fileprivate var requiredWord: String {
    isPrimary ? "part of the primary key" : declaration.attributes["key"] != nil ? "the key" : "required"
  }
}

extension TableDefinition.ElementType {
  var reference: TypeReference? {
    switch self {
    case .scalar, .string: nil
    case .enumeration(let index): .enumeration(index)
    case .structure(let index): .structure(index)
    case .table(let index): .table(index)
    case .union(let index): .union(index)
    }
  }
}

/// The value of an absent field. NaN equals NaN, and strings are compared by their bytes.
enum EffectiveDefault: Equatable {
  case nothing
  case integer(Int128)
  case floating(Double)
  case string(String)

  static func == (left: EffectiveDefault, right: EffectiveDefault) -> Bool {
    switch (left, right) {
    case (.nothing, .nothing): true
    case (.integer(let left), .integer(let right)): left == right
    case (.floating(let left), .floating(let right)): left == right || (left.isNaN && right.isNaN)
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    default: false
    }
  }
}

extension Schema {
  func effectiveDefault(of field: TableDefinition.Field) -> EffectiveDefault {
    switch (field.defaultValue, field.type) {
    case (.integer(let value), _): .integer(value)
    case (.floating(let value), _): .floating(value)
    case (.string(let value), _): .string(value)
    case (.none, .element(.scalar(let scalar))): scalar.isFloatingPoint ? .floating(0) : .integer(0)
    case (.none, .element(.enumeration)): .integer(0)
    case (.none, _), (.null, _): .nothing
    }
  }

  /// Returns a default in the schema's syntax.
  func text(ofDefaultOf field: TableDefinition.Field) -> String {
    switch (effectiveDefault(of: field), field.type) {
    case (.nothing, _): "null"
    case (.integer(let value), .element(.scalar(.bool))): value == 0 ? "false" : "true"
    case (.integer(let value), .element(.enumeration(let index))):
      enums[index].values.first { $0.number == value }?.name ?? String(value)
    case (.integer(let value), _): String(value)
    case (.floating(let value), _): String(value)
    case (.string(let value), _): "\"\(value)\""
    }
  }

  /// Returns a type in the schema's syntax, with its full name.
  func text(of type: TableDefinition.FieldType) -> String {
    switch type {
    case .element(let element): "'\(text(of: element))'"
    case .vector(let element): "'[\(text(of: element))]'"
    }
  }

  private func text(of element: TableDefinition.ElementType) -> String {
    switch element {
    case .scalar(let scalar): scalar.rawValue
    case .string: "string"
    default: element.reference.map { name(of: $0).description } ?? ""
    }
  }

  func text(of type: StructDefinition.FieldType) -> String {
    switch type {
    case .element(let element): "'\(text(of: element))'"
    case .array(let element, let count): "'[\(text(of: element)):\(count)]'"
    }
  }

  private func text(of element: StructDefinition.ElementType) -> String {
    switch element {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let index): enums[index].name.description
    case .structure(let index): structs[index].name.description
    }
  }
}
