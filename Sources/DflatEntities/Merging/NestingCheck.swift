package import DflatSchema

/// Decides if a schema's types are nested little enough for verifying and merging objects. The schema is text in a file,
/// which may have been made to keep programs busy.
///
/// The verifier estimates the size of each table once, with the tables and unions that its fields hold in place, at any
/// depth. The work grows exponentially with the depth. This check takes the same steps, and stops at a limit.
package struct NestingCheck {
  /// The maximum number of tables and unions in one another. A table in a union counts twice.
  private static let maximumDepth = 128
  /// The maximum number of fields and members visited from all tables.
  private static let maximumSteps = 1 << 20

  private enum Part: Equatable {
    case table(Int)
    case union(Int)
  }

  private let schema: Schema
  private var path: [Part] = []
  private var steps = 0

  private init(_ schema: Schema) { self.schema = schema }

  /// Returns true if the schema keeps the limits.
  package static func passes(_ schema: Schema) -> Bool {
    var check = NestingCheck(schema)
    for table in schema.tables.indices where !check.visit(.table(table)) { return false }
    return true
  }

  /// Returns false if a limit is exceeded.
  private mutating func visit(_ part: Part) -> Bool {
    // The sizes of recursive types end where they begin again.
    if path.contains(part) { return true }
    guard path.count < Self.maximumDepth else { return false }
    path.append(part)
    defer { path.removeLast() }
    switch part {
    case .table(let index): return visit(schema.tables[index].fields)
    case .union(let index): return visit(schema.unions[index].members)
    }
  }

  private mutating func visit(_ fields: [TableDefinition.Field]) -> Bool {
    guard take(1 + fields.count) else { return false }
    for field in fields {
      switch field.type {
      case .element(.table(let index)):
        if !visit(.table(index)) { return false }
      case .element(.union(let index)):
        if !visit(.union(index)) { return false }
      case .element, .vector: break
      }
    }
    return true
  }

  private mutating func visit(_ members: [UnionDefinition.Member]) -> Bool {
    // Unused numbers take a step, too.
    guard take(1 + Int(members.map(\.kind).max() ?? 0)) else { return false }
    for member in members {
      if case .table(let index) = member.type, !visit(.table(index)) { return false }
    }
    return true
  }

  private mutating func take(_ count: Int) -> Bool {
    steps += count
    return steps <= Self.maximumSteps
  }
}
