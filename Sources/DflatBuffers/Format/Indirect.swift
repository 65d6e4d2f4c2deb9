/// Boxes a member whose type contains the type it is a member of:
///
///     struct Node {
///       var value: Int32
///       @Indirect var next: Node?
///     }
///
/// The box is a value: copies are independent.
@propertyWrapper
public struct Indirect<Value> {
  fileprivate indirect enum Box {
    case value(Value)
  }

  private var box: Box

  /// A value in memory of its own.
  public init(wrappedValue: Value) {
    box = .value(wrappedValue)
  }

  /// The value; setting it makes a new box, so that copies stay as they are.
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
  /// By the values.
  public static func == (left: Indirect, right: Indirect) -> Bool {
    left.wrappedValue == right.wrappedValue
  }
}

extension Indirect: Hashable where Value: Hashable {
  /// By the value.
  public func hash(into hasher: inout Hasher) {
    wrappedValue.hash(into: &hasher)
  }
}
