import DflatKV

/// A number to add to a stored one, kept as text until the stored number's type is known.
struct Increment: Equatable {
  private let text: String
  /// The value of an absent key: a zero of the first type among int, uint and double that can read the text.
  private let startingValue: StoredValue

  init(_ text: String) throws(ValueFailure) {
    self.text = text
    if Int64(text) != nil {
      startingValue = .int(0)
    } else if UInt64(text) != nil {
      startingValue = .uint(0)
    } else if let double = Double(text), double.isFinite {
      startingValue = .double(0)
    } else {
      throw ValueFailure("\(quoted(text)) is not a number that can be added")
    }
  }

  func added(to current: StoredValue?) throws(ValueFailure) -> StoredValue {
    switch current ?? startingValue {
    case .int(let int): return .int(try sum(int))
    case .uint(let uint): return .uint(try sum(uint))
    case .double(let double):
      guard let increment = Double(text) else {
        throw ValueFailure("\(quoted(text)) cannot be added to a double")
      }
      let sum = double + increment
      guard sum.isFinite || !double.isFinite else {
        throw overflow(double.description)
      }
      return .double(sum)
    case let other:
      throw ValueFailure("it holds a \(other.kind.rawValue): only an int, a uint or a double can be incremented")
    }
  }

  private func sum<Number: FixedWidthInteger>(_ number: Number) throws(ValueFailure) -> Number {
    // Add a negative amount to a uint as a subtraction.
    if let increment = Number(text) {
      let (sum, overflows) = number.addingReportingOverflow(increment)
      guard !overflows else {
        throw overflow(String(number))
      }
      return sum
    }
    if text.hasPrefix("-"), let decrement = UInt64(text.dropFirst()) {
      let (difference, overflows) = number.subtractingReportingOverflow(Number(clamping: decrement))
      guard !overflows, Number(exactly: decrement) != nil else {
        throw overflow(String(number))
      }
      return difference
    }
    guard Int64(text) == nil, UInt64(text) == nil else {
      throw overflow(String(number))
    }
    throw ValueFailure("\(quoted(text)) is not a whole number and cannot be added to one")
  }

  private func overflow(_ number: String) -> ValueFailure {
    ValueFailure("the sum of \(number) and \(text) is out of range: nothing was changed")
  }
}
