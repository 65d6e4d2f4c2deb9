/// Maps the slots of an old table's fields to those of their successors in the new table, and back.
struct FieldSuccessors {
  private(set) var successors: [Int: Int] = [:]
  private(set) var predecessors: [Int: Int] = [:]

  mutating func add(_ newSlot: Int, after oldSlot: Int) {
    successors[oldSlot] = newSlot
    predecessors[newSlot] = oldSlot
  }
}

extension SchemaComparison {
  /// Compares the primary keys, whose fields are columns in the order of declaration. The comparison of fields reports
  /// removed and moved ones.
  mutating func comparePrimaryKeys(
    _ oldTable: TableDefinition, _ newTable: TableDefinition, _ fields: FieldSuccessors
  ) {
    let advice = "keep the primary key" + (versionedType == nil ? "" : ", or change 'v' of the table to start over")
    let oldKey = oldTable.fields.filter(\.isPrimary)
    let newKey = newTable.fields.filter(\.isPrimary)
    let oldSlots = Set(oldKey.map(\.slot))
    let newSlots = Set(newKey.map(\.slot))
    // Report fields that have joined the key, and those that have left it.
    for field in newKey where !(fields.predecessors[field.slot].map(oldSlots.contains) ?? false) {
      report(
        field.declaration.location, "'\(field.name)' was not part of the primary key", advice: advice,
        mentionsVersion: true)
    }
    for field in newTable.fields where !field.isPrimary {
      guard let slot = fields.predecessors[field.slot], oldSlots.contains(slot) else { continue }
      report(
        field.declaration.location, "'\(field.name)' was part of the primary key", advice: advice,
        mentionsVersion: true)
    }
    // The order of the remaining fields is the order of the columns.
    let kept = oldKey.compactMap { fields.successors[$0.slot] }.filter(newSlots.contains)
    if kept != newKey.map(\.slot).filter(Set(kept).contains) {
      report(
        newTable.declaration.location, "the fields of the primary key are in a different order", advice: advice,
        mentionsVersion: true)
    }
  }
}
