/// A set of small numbers, unordered, for fast iteration: a removal moves the last number into the gap.
struct NumberSet {
  /// The maximum count for which a linear search finds a number.
  private static let fewNumbers = 16

  private(set) var numbers: [Int32] = []
  /// The positions of the numbers; empty while there are few.
  private var positions: [Int32: Int] = [:]

  var isEmpty: Bool { numbers.isEmpty }
  var count: Int { numbers.count }
  /// False while numbers are found by linear search. For tests.
  var isIndexed: Bool { !positions.isEmpty }

  mutating func insert(_ number: Int32) {
    assert(position(of: number) == nil, "The set already contains the number.")
    numbers.append(number)
    if !positions.isEmpty {
      positions[number] = numbers.count - 1
    } else if numbers.count > Self.fewNumbers {
      positions = [Int32: Int](uniqueKeysWithValues: numbers.enumerated().map { ($1, $0) })
    }
  }

  /// Removes a number, if it is in the set.
  mutating func remove(_ number: Int32) {
    guard let position = position(of: number) else { return }
    let last = numbers.removeLast()
    if last != number { numbers[position] = last }
    if positions.isEmpty { return }
    positions[number] = nil
    if last != number { positions[last] = position }
  }

  private func position(of number: Int32) -> Int? {
    positions.isEmpty ? numbers.firstIndex(of: number) : positions[number]
  }
}
