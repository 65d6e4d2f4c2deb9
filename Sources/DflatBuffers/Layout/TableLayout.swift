/// The layout of a table: the fields that the verifier checks.
///
/// Generated code has one layout per table in a `static let`. Tools build layouts from a schema, and should do so once:
/// each closure is called once, and layouts that refer to each other are never freed after their first use. A layout
/// that refers to itself needs an explicit type:
///
///     static let flatBufferLayout: TableLayout = TableLayout("Node", fields: [
///       .scalar("value", 4, Int32.self),
///       .table("next", 6) { Node.flatBufferLayout },
///     ])
public final class TableLayout: Sendable {
  /// The name in the schema, for errors.
  public let name: String
  /// The file identifier of buffers with this table as their root; nil if they have none.
  public let identifier: String?
  /// The fields, in the order given.
  public let fields: [Field]
  let plan: LayoutPlan

  /// Creates a layout.
  ///
  /// - Parameters:
  ///   - name: The name in the schema, for errors.
  ///   - identifier: The file identifier of buffers with this table as their root: four bytes.
  ///   - isEntity: True if values are entities, whose objects take more memory than structs
  ///     (``FlatBufferLimits/maximumMemory``).
  ///   - fields: The fields of the schema that are not deprecated, in any order.
  public init(_ name: String, identifier: String? = nil, isEntity: Bool = false, fields: [Field]) {
    precondition(
      identifier == nil || identifier?.utf8.count == 4, "\(name)'s file identifier must have four bytes")
    self.name = name
    self.identifier = identifier
    self.fields = fields
    var compiler = StepCompiler()
    let steps = fields.map { compiler.step(for: $0) }
    plan = LayoutPlan(name, isEntity: isEntity, fieldNames: fields.map(\.name), steps, links: compiler.links)
  }

  /// Releases the layouts that this one refers to, so that layouts that refer to each other can be freed. No
  /// verification may be using any of them.
  package func unlink() { plan.unlink() }

  /// Returns the name of the field at a vtable slot, or of the union whose kind is there.
  func fieldName(at slot: Int) -> String? {
    guard slot != 0 else { return nil }
    return (fields.first { $0.slot == slot } ?? fields.first { $0.slot == slot + 2 })?.name
  }
}
