extension OrderedHistory {
  /// Describes a step.
  func describe(_ step: Step) -> String {
    let end = step.completed == Self.never ? "…" : "\(step.completed)"
    let turn = step.turn.map { " at \($0)" } ?? ""
    let operations = step.operations.map(Self.describe).joined(separator: "; ")
    return
      "\(step.kind) of process \(step.process), thread \(step.thread), \(step.outcome), \(step.invoked)–\(end)\(turn): "
      + operations
  }

  static func describe(_ operation: Operation) -> String {
    switch operation {
    case .read(let key, let value): "k\(key) is \(text(value))"
    case .find(let selection, let found): "\(text(selection)) finds \(text(found))"
    case .names(let selection, let keys): "\(text(selection)) has \(keys.map { "k\($0)" })"
    case .count(let selection, let count): "\(text(selection)) counts \(count)"
    case .write(let key, let value, let attribute): "set k\(key) to \(value), attribute \(attribute)"
    case .remove(let selection): "remove \(text(selection))"
    }
  }

  static func text(_ found: [Found]) -> String {
    "[\(found.map { "k\($0.key)=\($0.value)" }.joined(separator: ", "))]"
  }

  private static func text(_ value: Int) -> String { value == 0 ? "absent" : "\(value)" }

  private static func text(_ selection: Selection) -> String {
    let keys = "k\(selection.keys.lowerBound)..<\(selection.keys.upperBound)"
    return selection.attributes.upperBound == .max ? keys : "\(keys) with \(selection.attributes)"
  }
}
