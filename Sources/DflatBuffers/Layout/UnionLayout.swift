/// The layout of a union: the members that the verifier checks.
public final class UnionLayout: Sendable {
  /// The type of a union's member.
  public enum Member: Sendable {
    /// A table, in a closure because tables may contain themselves.
    case table(@Sendable () -> TableLayout)
    /// A fixed struct.
    case structure(StructLayout)
    /// A string.
    case string
  }

  /// The name in the schema.
  public let name: String
  /// The members by their numbers; nil where there is none.
  private let members: [Member?]
  let plan: LayoutPlan

  /// Creates a layout.
  ///
  /// - Parameters:
  ///   - name: The name in the schema, for errors.
  ///   - members: The members by their numbers. Number 0 means no member, and is not listed.
  public init(_ name: String, members: [UInt8: Member]) {
    precondition(members[0] == nil, "\(name) can't have a member with the number 0, which means no value")
    self.name = name
    self.members = (0...Int(members.keys.max() ?? 0)).map { members[UInt8($0)] }
    var compiler = StepCompiler()
    let steps = self.members.map { compiler.step(for: $0) }
    plan = LayoutPlan(name, fieldNames: [], steps, links: compiler.links)
  }

  /// Releases the layouts of the members, as `TableLayout.unlink()` does.
  package func unlink() { plan.unlink() }

  /// Returns the member with that number, or nil if this version of the schema has none.
  public func member(_ kind: UInt8) -> Member? {
    Int(kind) < members.count ? members[Int(kind)] : nil
  }
}
