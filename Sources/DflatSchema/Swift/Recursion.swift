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
  private var order: [TypeID] = []
  private var edges: [TypeID: [TypeID]] = [:]

  mutating func add(_ type: TypeID, _ contents: [TypeID]) {
    order.append(type)
    edges[type] = contents
  }

  /// Returns the types that contain themselves, with a number for each set of types that contain each other.
  ///
  /// Uses Tarjan's algorithm for strongly connected components, with an explicit stack: a chain of types may be longer
  /// than the thread's stack permits.
  func cycles() -> [TypeID: Int] {
    var result: [TypeID: Int] = [:]
    var indices: [TypeID: Int] = [:]
    var lowest: [TypeID: Int] = [:]
    var open: [TypeID] = []
    var isOpen: Set<TypeID> = []
    var calls: [(type: TypeID, next: Int)] = []

    func enter(_ type: TypeID) {
      indices[type] = indices.count
      lowest[type] = indices[type]
      open.append(type)
      isOpen.insert(type)
      calls.append((type, 0))
    }

    for start in order where indices[start] == nil {
      enter(start)
      while let (type, next) = calls.last {
        let contents = edges[type] ?? []
        // Visit the next type that this one contains, if there is one left.
        if next < contents.count {
          calls[calls.count - 1].next += 1
          let content = contents[next]
          if indices[content] == nil {
            enter(content)
          } else if isOpen.contains(content) {
            lowest[type] = min(lowest[type]!, indices[content]!)
          }
          continue
        }
        // All contained types are visited. If none leads back to an earlier type, the open types from here form a
        // component.
        calls.removeLast()
        if let parent = calls.last?.type { lowest[parent] = min(lowest[parent]!, lowest[type]!) }
        guard lowest[type] == indices[type] else { continue }
        let component = Array(open[open.lastIndex(of: type)!...])
        open.removeLast(component.count)
        isOpen.subtract(component)
        if component.count > 1 || contents.contains(type) {
          for member in component { result[member] = indices[type]! }
        }
      }
    }
    return result
  }
}
