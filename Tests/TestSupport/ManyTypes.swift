/// Any number of distinct types for transactions to declare.
package enum ManyTypes {
  /// Returns `count` distinct types.
  package static func make(_ count: Int) -> [Any.Type] {
    var digits: [any Digit.Type] = [Zero.self]
    while digits.count * digits.count < count { digits.append(digits[digits.count - 1].successor) }
    return (0..<count).map { number in
      let first: any Digit.Type = digits[number / digits.count]
      return first.pair(with: digits[number % digits.count])
    }
  }
}

private protocol Digit {}

extension Digit {
  static var successor: any Digit.Type { Successor<Self>.self }
  static func pair(with second: any Digit.Type) -> Any.Type { second.pair(after: Self.self) }
  static func pair<First>(after first: First.Type) -> Any.Type { Pair<First, Self>.self }
}

private enum Zero: Digit {}
private enum Successor<Previous>: Digit {}
private enum Pair<First, Second> {}
