/// Small numbers in no order, each once, to be gone through fast: a removal moves the last one into the gap.
struct NumberSet {
  /// Up to so many are searched one by one.
  private static let fewNumbers = 16

  private(set) var numbers: [Int32] = []
  /// The places of the numbers; empty while they are few.
  private var places: [Int32: Int] = [:]

  var isEmpty: Bool { numbers.isEmpty }
  var count: Int { numbers.count }
  /// False while numbers are searched one by one; for tests.
  var isIndexed: Bool { !places.isEmpty }

  mutating func insert(_ number: Int32) {
    assert(place(of: number) == nil, "The number is here already.")
    numbers.append(number)
    if !places.isEmpty {
      places[number] = numbers.count - 1
    } else if numbers.count > Self.fewNumbers {
      places = [Int32: Int](uniqueKeysWithValues: numbers.enumerated().map { ($1, $0) })
    }
  }

  /// Harmless when the number is not here.
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
