/// A table: what the verifier has to know of its fields. Generated code has one a table in a `static let`; tools build
/// them from a schema, and should do so once: the closures are called once, and layouts that refer to each other are
/// never freed after they were used. A layout that refers to itself has to have its type written out:
///
///     static let flatBufferLayout: TableLayout = TableLayout("Node", fields: [
///       .scalar("value", 4, Int32.self),
///       .table("next", 6) { Node.flatBufferLayout },
///     ])
public final class TableLayout: Sendable {
  /// The schema's name, for errors.
  public let name: String
  /// The four letters that stand in the buffer if the table is its root, nil if there are none.
  public let identifier: String?
  /// The fields, as they were given.
  public let fields: [Field]
  let plan: LayoutPlan

  /// - Parameter fields: Those that the schema has and that are not deprecated, in any order.
  public init(_ name: String, identifier: String? = nil, fields: [Field]) {
    precondition(
      identifier == nil || identifier?.utf8.count == 4, "\(name)'s file identifier must have four bytes")
    self.name = name
    self.identifier = identifier
    self.fields = fields
    var compiler = StepCompiler()
    let steps = fields.map { compiler.step(for: $0) }
    plan = LayoutPlan(name, fieldNames: fields.map(\.name), steps, links: compiler.links)
  }

  /// The name of the field at a vtable slot, or at the slot before it, which is the kind of a union.
  func fieldName(at slot: Int) -> String? {
    guard slot != 0 else { return nil }
    return (fields.first { $0.slot == slot } ?? fields.first { $0.slot == slot + 2 })?.name
  }
}
