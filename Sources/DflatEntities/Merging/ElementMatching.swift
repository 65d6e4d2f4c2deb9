/// Finds the elements that a vector has kept from an earlier state. Elements have no identity in the format, so they are
/// recognized by what is known of them.
enum ElementMatching {
  /// Returns for each element the index of the earlier element that it is, or nil if it is new.
  ///
  /// Equal beginnings and ends of both states belong together. Of the elements between them, those that are equal do, the
  /// first one to the first one. No earlier element is returned twice.
  static func earlierIndexes<Identity: Hashable>(of elements: [Identity], in earlier: [Identity]) -> [Int?] {
    var indexes = [Int?](repeating: nil, count: elements.count)
    let common = min(elements.count, earlier.count)
    var front = 0
    while front < common, elements[front] == earlier[front] {
      indexes[front] = front
      front += 1
    }
    var back = 0
    while back < common - front, elements[elements.count - 1 - back] == earlier[earlier.count - 1 - back] {
      indexes[elements.count - 1 - back] = earlier.count - 1 - back
      back += 1
    }
    // The indexes of the other earlier elements, the first one last.
    var others: [Identity: [Int]] = [:]
    for index in (front..<earlier.count - back).reversed() { others[earlier[index], default: []].append(index) }
    for index in front..<elements.count - back { indexes[index] = others[elements[index]]?.popLast() }
    return indexes
  }
}
