import DflatKV

/// A number to add to a stored one, kept as text until the stored number's type is known.
struct Increment: Equatable {
  private let text: String
  /// The digits of the number if it is whole and exact, however it is spelled: `2` for `2.0`.
  private let wholeText: String?
  /// The value of an absent key: a zero of the first type among int, uint and double that can read the text.
  private let startingValue: StoredValue

  /// The largest number up to which a double holds every whole number.
  private static let exactLimit = Double(1 << 53)

  init(_ text: String) throws(ValueFailure) {
    self.text = text
    if Int64(text) != nil {
      wholeText = text
      startingValue = .int(0)
    } else if UInt64(text) != nil {
      wholeText = text
      startingValue = .uint(0)
    } else if let double = Double(text), double.isFinite, !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") })
    {
      wholeText = abs(double) <= Self.exactLimit ? Int64(exactly: double).map { String($0) } : nil
      startingValue = .double(0)
    } else {
      throw ValueFailure("\(quoted(shortened(text))) is not a number that can be added")
    }
  }

  /// Returns the sum. It has the type of the current value, except that an int or a uint and a fraction make a double.
  func added(to current: StoredValue?) throws(ValueFailure) -> StoredValue {
    switch current ?? startingValue {
    case .int(let int):
      guard let wholeText else {
        return .double(try sum(Double(exactly: int), int.description))
      }
      return .int(try sum(int, wholeText))
    case .uint(let uint):
      guard let wholeText else {
        return .double(try sum(Double(exactly: uint), uint.description))
      }
      return .uint(try sum(uint, wholeText))
    case .float(let float): return .float(try sum(float))
    case .double(let double): return .double(try sum(double))
    case .sealed: throw .sealed
    case let other:
      throw ValueFailure(
        "it holds a \(other.kind.rawValue): only an int, a uint, a float or a double can be incremented; 'kvtool set' with "
          + "--int or --double makes it one")
    }
  }

  private func sum<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ number: Number
  ) throws(ValueFailure) -> Number {
    guard let increment = Number(text), increment.isFinite, (number + increment).isFinite || !number.isFinite else {
      throw overflow(number.description)
    }
    return number + increment
  }

  /// Adds a fraction to a whole number, which is nil if no double is equal to it.
  private func sum(_ number: Double?, _ digits: String) throws(ValueFailure) -> Double {
    guard let increment = Double(text), abs(increment) <= Self.exactLimit else {
      throw overflow(digits)
    }
    guard let number else {
      throw ValueFailure("\(shortened(text)) cannot be added to \(digits), because no double is equal to that")
    }
    return number + increment
  }

  private func sum<Number: FixedWidthInteger>(_ number: Number, _ digits: String) throws(ValueFailure) -> Number {
    // Wide enough for every sum of an int or a uint and the digits of another one.
    guard let increment = Int128(digits), let sum = Number(exactly: Int128(number) + increment) else {
      throw overflow(String(number))
    }
    return sum
  }

  private func overflow(_ number: String) -> ValueFailure {
    ValueFailure("the sum of \(number) and \(shortened(text)) is out of range: nothing was changed")
  }
}
