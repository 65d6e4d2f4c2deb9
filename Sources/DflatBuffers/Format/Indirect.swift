/// Boxes a property whose type contains the enclosing type:
///
///     struct Node {
///       var value: Int32
///       @Indirect var next: Node?
///     }
///
/// The box has value semantics: copies are independent.
@propertyWrapper
public struct Indirect<Value> {
  fileprivate indirect enum Box {
    case value(Value)
  }

  private var box: Box

  /// Boxes a value.
  public init(wrappedValue: Value) {
    box = .value(wrappedValue)
  }

  /// The boxed value. Setting it creates a new box, so that copies keep their value.
  public var wrappedValue: Value {
    get {
      switch box {
      case .value(let value): value
      }
    }
    set { box = .value(newValue) }
  }
}

extension Indirect.Box: Sendable where Value: Sendable {}
extension Indirect: Sendable where Value: Sendable {}

extension Indirect: Equatable where Value: Equatable {
  /// Returns true if the boxed values are equal.
  public static func == (left: Indirect, right: Indirect) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension Indirect: Hashable where Value: Hashable {
  /// Hashes the boxed value.
  public func hash(into hasher: inout Hasher) {
    wrappedValue.hash(into: &hasher)
  }
}
