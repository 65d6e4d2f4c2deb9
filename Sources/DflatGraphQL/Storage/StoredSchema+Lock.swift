import DflatSchema

extension StoredSchema {
  /// Reads the schema of a lock that an earlier run wrote.
  init(entity: String, lock: Schema) {
    self.entity = entity
    enums = lock.enums.map { definition in
      StoredEnum(
        name: definition.name.name,
        values: definition.values.map { StoredEnum.Value(name: $0.name, number: Int($0.number)) })
    }
    unions = lock.unions.map { definition in
      StoredUnion(
        name: definition.name.name,
        members: definition.members.map { member in
          guard case .table(let index) = member.type else {
            return StoredUnion.Member(name: member.name, table: "", kind: Int(member.kind))
          }
          return StoredUnion.Member(
            name: member.name, table: lock.tables[index].name.name, kind: Int(member.kind))
        })
    }
    tables = lock.tables.map { definition in
      StoredTable(name: definition.name.name, fields: definition.fields.map { StoredField($0, in: lock) })
    }
  }

  /// Gives all parts the numbers that they have in an earlier schema, and new ones after those. What the schema lacks now
  /// is taken over from the earlier one: fields as deprecated ones, values, members and types as they were.
  ///
  /// - Returns: The reason why the earlier schema can't be continued, or nil.
  mutating func number(after old: StoredSchema) -> String? {
    if let reason = keyChange(from: old) { return reason }
    renameReplacedTypes(of: old)
    for index in enums.indices { enums[index].number(after: old.enums.first { $0.name == enums[index].name }) }
    for index in unions.indices { unions[index].number(after: old.unions.first { $0.name == unions[index].name }) }
    for index in tables.indices { tables[index].number(after: old.table(tables[index].name)) }
    // Deprecated fields and members need their types.
    let names = typeNames
    enums += old.enums.filter { !names.contains($0.name) }
    unions += old.unions.filter { !names.contains($0.name) }
    tables.insert(contentsOf: old.tables.filter { !names.contains($0.name) }, at: 0)
    return nil
  }

  private var typeNames: Set<String> { Set(enums.map(\.name) + unions.map(\.name) + tables.map(\.name)) }

  private func keyChange(from old: StoredSchema) -> String? {
    guard let table = table(entity), let oldTable = old.table(entity),
      let key = table.fields.first(where: \.isPrimary), let oldKey = oldTable.fields.first(where: \.isPrimary)
    else { return nil }
    if key.name == oldKey.name, key.type == oldKey.type { return nil }
    return
      "the primary key of '\(entity)' was the \(oldKey.type == .string ? "string" : "number") '\(oldKey.name)', and "
      + "is the \(key.type == .string ? "string" : "number") '\(key.name)' now"
  }

  /// Gives a type another name if the earlier schema has one of another kind with its name.
  private mutating func renameReplacedTypes(of old: StoredSchema) {
    let kinds = old.kinds
    var renamed: [String: String] = [:]
    for (name, kind) in self.kinds where kinds[name] != nil && kinds[name] != kind {
      var free = name + "_"
      while kinds[free] != nil && kinds[free] != kind || self.kinds[free] != nil { free += "_" }
      renamed[name] = free
    }
    if renamed.isEmpty { return }
    let newName = { (name: String) in renamed[name] ?? name }
    for index in enums.indices { enums[index].name = newName(enums[index].name) }
    unions = unions.map { union in
      var copy = StoredUnion(name: newName(union.name), members: union.members)
      for index in copy.members.indices { copy.members[index].table = newName(copy.members[index].table) }
      return copy
    }
    tables = tables.map { table in
      StoredTable(
        name: newName(table.name), documentation: table.documentation,
        fields: table.fields.map { $0.replacingType($0.type.renamed(newName)) })
    }
  }

  private enum Kind { case enumeration, union, table }

  private var kinds: [String: Kind] {
    var kinds: [String: Kind] = [:]
    for definition in enums { kinds[definition.name] = .enumeration }
    for definition in unions { kinds[definition.name] = .union }
    for definition in tables { kinds[definition.name] = .table }
    return kinds
  }
}

extension StoredType {
  fileprivate func renamed(_ name: (String) -> String) -> StoredType {
    switch self {
    case .scalar, .string: self
    case .enumeration(let type): .enumeration(name(type))
    case .table(let type): .table(name(type))
    case .union(let type): .union(name(type))
    case .vector(let element): .vector(element.renamed(name))
    }
  }

  fileprivate init(_ element: TableDefinition.ElementType, in schema: Schema) {
    self =
      switch element {
      case .scalar(let scalar): .scalar(scalar)
      case .string: .string
      case .enumeration(let index): .enumeration(schema.enums[index].name.name)
      case .union(let index): .union(schema.unions[index].name.name)
      case .table(let index): .table(schema.tables[index].name.name)
      // No run writes structs.
      case .structure(let index): .table(schema.structs[index].name.name)
      }
  }
}

extension StoredField {
  fileprivate init(_ field: TableDefinition.Field, in schema: Schema) {
    let type: StoredType =
      switch field.type {
      case .element(let element): StoredType(element, in: schema)
      case .vector(let element): .vector(StoredType(element, in: schema))
      }
    self.init(
      name: field.name, type: type, id: (field.slot - 4) / 2, isPrimary: field.isPrimary,
      isDeprecated: field.isDeprecated)
  }

  fileprivate func replacingType(_ type: StoredType) -> StoredField {
    StoredField(
      name: name, type: type, documentation: documentation, id: id, isPrimary: isPrimary, isIndexed: isIndexed,
      isDeprecated: isDeprecated)
  }
}

extension StoredTable {
  fileprivate mutating func number(after old: StoredTable?) {
    var next = (old?.fields.map(\.id).max() ?? -1) + 1
    var kept: [StoredField] = []
    var names = Set(fields.map(\.name))
    for var field in old?.fields ?? [] {
      if let index = fields.firstIndex(where: { $0.name == field.name && $0.type == field.type }) {
        fields[index].id = field.id
        continue
      }
      // The slot stays taken. Another field may have the name now.
      field.isDeprecated = true
      field.documentation = []
      if names.contains(field.name) {
        var name = field.name
        repeat { name += "_old" } while names.contains(name) || old?.fields.contains { $0.name == name } == true
        field.name = name
      }
      names.insert(field.name)
      kept.append(field)
    }
    for index in fields.indices where fields[index].id < 0 {
      if case .union = fields[index].type { next += 1 }
      fields[index].id = next
      next += 1
    }
    fields += kept
  }
}

extension StoredEnum {
  fileprivate mutating func number(after old: StoredEnum?) {
    let numbers = Dictionary((old?.values ?? []).map { ($0.name, $0.number) }) { first, _ in first }
    var next = (old?.values.map(\.number).max() ?? 0) + 1
    // The unknown value keeps its name, even if the schema has a value with this name now. That one gets an underscore, and so
    // does a name that has underscores after it already. Of earlier values only the stored names are known: each belongs to a
    // single name of the schema.
    let unknown = old?.values.first { $0.number == 0 }?.name ?? values.first { $0.number == 0 }?.name ?? ""
    for index in values.indices {
      if values[index].number == 0 {
        values[index].name = unknown
        continue
      }
      let rest = values[index].name.dropFirst(unknown.count)
      if values[index].name.hasPrefix(unknown), rest.allSatisfy({ $0 == "_" }) { values[index].name += "_" }
      values[index].number = numbers[values[index].name] ?? next
      if values[index].number == next { next += 1 }
    }
    let names = Set(values.map(\.name))
    values += (old?.values ?? []).filter { !names.contains($0.name) }
    values.sort { $0.number < $1.number }
  }
}

extension StoredUnion {
  fileprivate mutating func number(after old: StoredUnion?) {
    let same = Dictionary((old?.members ?? []).map { ($0.table, $0) }) { first, _ in first }
    var names = Set((old?.members ?? []).map(\.name))
    var next = (old?.members.map(\.kind).max() ?? 0) + 1
    for index in members.indices {
      if let member = same[members[index].table] {
        members[index].name = member.name
        members[index].kind = member.kind
        continue
      }
      // A type that has become an entity, or no longer is one, has another table than the earlier member of its name.
      while !names.insert(members[index].name).inserted { members[index].name += "_" }
      members[index].kind = next
      next += 1
    }
    let tables = Set(members.map(\.table))
    members += (old?.members ?? []).filter { !tables.contains($0.table) }
    members.sort { $0.kind < $1.kind }
  }
}
