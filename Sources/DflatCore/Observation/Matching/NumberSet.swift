/// A set of small numbers, unordered, for fast iteration: a removal moves the last number into the gap.
struct NumberSet {
  /// The maximum count for which a linear search finds a number.
  private static let fewNumbers = 16

  private(set) var numbers: [Int32] = []
  /// The positions of the numbers; empty while there are few.
  private var places: [Int32: Int] = [:]

  var isEmpty: Bool { numbers.isEmpty }
  var count: Int { numbers.count }
  /// False while numbers are found by linear search. For tests.
  var isIndexed: Bool { !places.isEmpty }

  mutating func insert(_ number: Int32) {
    assert(place(of: number) == nil, "The set already contains the number.")
    numbers.append(number)
    if !places.isEmpty {
      places[number] = numbers.count - 1
    } else if numbers.count > Self.fewNumbers {
      places = [Int32: Int](uniqueKeysWithValues: numbers.enumerated().map { ($1, $0) })
    }
  }

  /// Removes a number, if it is in the set.
  mutating func remove(_ number: Int32) {
    guard let place = place(of: number) else { return }
    let last = numbers.removeLast()
    if last != number { numbers[place] = last }
    if places.isEmpty { return }
    places[number] = nil
    if last != number { places[last] = place }
  }

  private func place(of number: Int32) -> Int? { places.isEmpty ? numbers.firstIndex(of: number) : places[number] }
}
