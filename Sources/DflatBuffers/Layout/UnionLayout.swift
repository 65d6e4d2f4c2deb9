/// A union: what its members are.
public final class UnionLayout: Sendable {
  /// What a union may hold.
  public enum Member: Sendable {
    /// A table, in a closure because tables may contain themselves.
    case table(@Sendable () -> TableLayout)
    case structure(StructLayout)
    case string
  }

  /// The schema's name.
  public let name: String
  /// By their numbers; nil where there is none.
  private let members: [Member?]
  let plan: LayoutPlan

  /// - Parameter members: The members by their numbers. Number 0 stands for no member, and is not listed.
  public init(_ name: String, members: [UInt8: Member]) {
    precondition(members[0] == nil, "the number 0 stands for no member of \(name)")
    self.name = name
    self.members = (0...Int(members.keys.max() ?? 0)).map { members[UInt8($0)] }
    var compiler = StepCompiler()
    let steps = self.members.map { compiler.step(for: $0) }
    plan = LayoutPlan(name, fieldNames: [], steps, links: compiler.links)
  }

  /// The member of that number, nil if this version of the schema has none.
  public func member(_ kind: UInt8) -> Member? {
    Int(kind) < members.count ? members[Int(kind)] : nil
  }
}
