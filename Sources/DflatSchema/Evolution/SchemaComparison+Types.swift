extension SchemaComparison {
  /// Compares enums, whose type and numbers must stay. Names may change.
  mutating func compare(_ oldEnum: EnumDefinition, _ newEnum: EnumDefinition) {
    let location = newEnum.declaration.location
    let name = newEnum.name.name
    // The type determines the size in bytes, and flags the meaning of the numbers.
    if oldEnum.base != newEnum.base {
      report(
        location, "'\(name)' is a '\(newEnum.base.rawValue)' and was a '\(oldEnum.base.rawValue)'",
        advice: "keep the type, or declare another enum for new fields")
      return
    }
    // A number of bit flags is a set of values.
    if oldEnum.isBitFlags != newEnum.isBitFlags {
      report(
        location,
        "'\(name)' \(newEnum.isBitFlags ? "has become" : "is no longer") a set of bit flags, "
          + "so its numbers mean something else",
        advice: "leave it as it was, or declare another enum for new fields")
      return
    }
    // Find values with another number by name, and those that are gone by number.
    let newByName = Dictionary(newEnum.values.map { ($0.name, $0) }) { first, _ in first }
    let newNumbers = Set(newEnum.values.map(\.number))
    for value in oldEnum.values {
      if let same = newByName[value.name], same.number != value.number {
        report(
          same.declaration.location, "'\(value.name)' is \(same.number) and was \(value.number)",
          advice: "keep its number and append new values after the old ones")
      } else if !newNumbers.contains(value.number) {
        report(
          location, "the value '\(value.name)' was removed, but existing data may contain its number \(value.number)",
          advice: "keep it; you may rename it")
      }
    }
  }

  /// Compares unions, whose members must keep their kinds and types. Names may change.
  mutating func compare(_ oldUnion: UnionDefinition, _ newUnion: UnionDefinition) {
    let newByKind = Dictionary(newUnion.members.map { ($0.kind, $0) }) { first, _ in first }
    let newByName = Dictionary(newUnion.members.map { ($0.name, $0) }) { first, _ in first }
    for member in oldUnion.members {
      if let same = newByName[member.name], same.kind != member.kind,
        !isRenamed(member, to: newByKind[member.kind], givingNameTo: same)
      {
        report(
          same.declaration.location, "'\(member.name)' is member \(same.kind) and was \(member.kind)",
          advice: "append new members after the old ones, or write numbers")
      } else if let successor = newByKind[member.kind] {
        guard !matches(member.type, successor.type) else { continue }
        report(
          successor.declaration.location,
          "member \(member.kind) is \(new.text(of: successor.type)) and was \(old.text(of: member.type))",
          advice: "keep the old member and append another")
      } else {
        report(
          newUnion.declaration.location, "the member '\(member.name)' was removed, but existing data may contain it",
          advice: "keep it; you may rename it")
      }
    }
  }

  /// Returns true for a member that was renamed, so that one of another type could take its name: `N.A` leaves the name
  /// `A` to a new member of the type `A`.
  private func isRenamed(
    _ member: UnionDefinition.Member, to successor: UnionDefinition.Member?,
    givingNameTo namesake: UnionDefinition.Member
  ) -> Bool {
    guard let successor else { return false }
    let type = old.text(of: member.type)
    return new.text(of: successor.type) == type && new.text(of: namesake.type) != type
  }

  /// Reports new members of a union in a required field. A program that doesn't know the member reads no value, but a
  /// required field must have one.
  mutating func compareRequiredUnions(
    _ oldField: TableDefinition.Field, _ newField: TableDefinition.Field, _ name: String
  ) {
    guard oldField.isRequired, newField.isRequired,
      case (.element(.union(let oldIndex)), .element(.union(let newIndex))) = (oldField.type, newField.type)
    else { return }
    let oldKinds = Set(old.unions[oldIndex].members.map(\.kind))
    for member in new.unions[newIndex].members where !oldKinds.contains(member.kind) {
      report(
        member.declaration.location,
        "'\(member.name)' is a new member, but old programs refuse it in \(name), which is required",
        advice: "append an optional field with another union")
    }
  }

  /// Compares structs, which are stored as plain bytes: every byte must keep its meaning.
  mutating func compare(_ oldStruct: StructDefinition, _ newStruct: StructDefinition) {
    let advice = "leave the struct as it was, and declare another for new fields"
    let count = problems.count
    // Compare the fields in order, as far as both structs have them.
    for (oldField, newField) in zip(oldStruct.fields, newStruct.fields) {
      let location = newField.declaration.location
      guard matches(oldField.type, newField.type) else {
        report(
          location,
          "'\(newField.name)' is \(new.text(of: newField.type)), where '\(oldField.name)' was \(old.text(of: oldField.type))",
          advice: advice)
        return
      }
      // The types match, but the fields have traded names.
      if newField.name != oldField.name, oldStruct.fields.contains(where: { $0.name == newField.name }) {
        report(
          location, "'\(newField.name)' has taken the place of '\(oldField.name)'", advice: advice)
        return
      }
    }
    // Compare the number of fields. If it is the same, `force_align` may still have changed the layout.
    let difference = newStruct.fields.count - oldStruct.fields.count
    if difference > 0 {
      report(
        newStruct.fields[oldStruct.fields.count].declaration.location,
        "'\(newStruct.fields[oldStruct.fields.count].name)' has been added to a struct", advice: advice)
    } else if difference < 0 {
      report(
        newStruct.declaration.location,
        "'\(oldStruct.fields[newStruct.fields.count].name)' was removed from the struct",
        advice: advice)
    } else if problems.count == count,
      oldStruct.size != newStruct.size || oldStruct.alignment != newStruct.alignment
        || oldStruct.fields.map(\.offset) != newStruct.fields.map(\.offset)
    {
      report(
        newStruct.declaration.location,
        "'\(newStruct.name.name)' has \(newStruct.size) bytes aligned to \(newStruct.alignment), and had "
          + "\(oldStruct.size) aligned to \(oldStruct.alignment)",
        advice: advice)
    }
  }

  // MARK: Types of members

  private mutating func matches(_ oldType: UnionDefinition.MemberType, _ newType: UnionDefinition.MemberType) -> Bool {
    switch (oldType.reference, newType.reference) {
    case (let oldReference?, let newReference?): matches(oldReference, newReference)
    case (nil, nil): true
    default: false
    }
  }

  private mutating func matches(_ oldType: StructDefinition.FieldType, _ newType: StructDefinition.FieldType) -> Bool {
    switch (oldType, newType) {
    case (.element(let oldElement), .element(let newElement)): matches(oldElement, newElement)
    case (.array(let oldElement, let oldCount), .array(let newElement, let newCount)):
      oldCount == newCount && matches(oldElement, newElement)
    default: false
    }
  }

  private mutating func matches(
    _ oldType: StructDefinition.ElementType, _ newType: StructDefinition.ElementType
  ) -> Bool {
    switch (oldType, newType) {
    case (.scalar(let oldScalar), .scalar(let newScalar)): oldScalar == newScalar
    case (.enumeration(let oldIndex), .enumeration(let newIndex)):
      matches(TypeReference.enumeration(oldIndex), TypeReference.enumeration(newIndex))
    case (.structure(let oldIndex), .structure(let newIndex)):
      matches(TypeReference.structure(oldIndex), TypeReference.structure(newIndex))
    default: false
    }
  }
}

extension UnionDefinition.MemberType {
  /// The table or struct; nil for strings.
  var reference: TypeReference? {
    switch self {
    case .table(let index): .table(index)
    case .structure(let index): .structure(index)
    case .string: nil
    }
  }
}

extension Schema {
  fileprivate func text(of type: UnionDefinition.MemberType) -> String {
    "'\(type.reference.map { name(of: $0).description } ?? "string")'"
  }
}
