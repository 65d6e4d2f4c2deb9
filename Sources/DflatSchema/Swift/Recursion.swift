import DflatSupport

/// Finds types whose values would contain themselves.
///
/// A table stores nested tables in place, and a union its member; Swift has no finite size for a cycle of these. An
/// entity ends a cycle, because its instances are objects, and so does a vector. In any other cycle, a union becomes an
/// `indirect enum`. In a cycle without a union, `@Indirect` boxes the field.
struct Recursion {
  private var indirectUnions: Set<Int> = []
  /// A number for each recursive table. Tables with the same number contain each other, without a union in between.
  private var components: [Int: Int] = [:]

  init(_ schema: Schema) {
    // Find the cycles of tables and unions, and break them at the unions.
    var graph = Graph()
    for (index, table) in schema.tables.enumerated() where !table.isEntity {
      graph.add(.table(index), Self.contents(table, in: schema))
    }
    for (index, union) in schema.unions.enumerated() {
      graph.add(
        .union(index),
        union.members.compactMap { member in
          if case .table(let table) = member.type, !schema.tables[table].isEntity { .table(table) } else { nil }
        })
    }
    let cycles = graph.cycles()
    for case .union(let index) in cycles.keys { indirectUnions.insert(index) }

    // Find the remaining cycles, of tables alone.
    var tables = Graph()
    for case .table(let index) in cycles.keys {
      tables.add(
        .table(index),
        Self.contents(schema.tables[index], in: schema).filter { if case .table = $0 { true } else { false } })
    }
    for case (.table(let index), let component) in tables.cycles() { components[index] = component }
  }

  func isIndirect(union: Int) -> Bool { indirectUnions.contains(union) }

  /// Returns true if a field of this type in this table must be boxed.
  func isIndirect(field type: TableDefinition.FieldType, of table: Int) -> Bool {
    guard case .element(.table(let other)) = type, let component = components[table] else { return false }
    return components[other] == component
  }

  /// Returns the types that a table's values contain in place.
  private static func contents(_ table: TableDefinition, in schema: Schema) -> [TypeID] {
    table.fields.compactMap { field in
      guard !field.isDeprecated, case .element(let element) = field.type else { return nil }
      switch element {
      case .table(let index): return schema.tables[index].isEntity ? nil : .table(index)
      case .union(let index): return .union(index)
      default: return nil
      }
    }
  }
}

/// A directed graph of types and the types that they contain.
private struct Graph {
  private var types: [TypeID] = []
  private var numbers: [TypeID: Int] = [:]
  private var contents: [[TypeID]] = []

  mutating func add(_ type: TypeID, _ contents: [TypeID]) {
    numbers[type] = types.count
    types.append(type)
    self.contents.append(contents)
  }

  /// Returns the types that contain themselves, with a number for each set of types that contain each other.
  func cycles() -> [TypeID: Int] {
    let successors = contents.map { $0.compactMap { numbers[$0] } }
    let components = stronglyConnectedComponents(of: successors)
    var sizes: [Int: Int] = [:]
    for component in components { sizes[component, default: 0] += 1 }
    var result: [TypeID: Int] = [:]
    for (index, component) in components.enumerated()
    where sizes[component]! > 1 || successors[index].contains(index) {
      result[types[index]] = component
    }
    return result
  }
}
