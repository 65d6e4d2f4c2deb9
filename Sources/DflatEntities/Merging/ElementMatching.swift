/// Finds the elements that a vector has kept from an earlier state. Elements have no identity in the format, so they
/// are recognized by what is known of them.
enum ElementMatching {
  /// Returns for each element the index of the earlier element that it is, or nil if it is new.
  ///
  /// Equal beginnings and ends of both states belong together. Of the elements between them, those that are equal do,
  /// the first one to the first one. No earlier element is returned twice.
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

  /// An element of a vector whose elements may have keys.
  struct Element<Identity: Hashable> {
    /// All that is known of the element.
    var content: Identity
    /// The element's key; nil if it has none.
    var key: Identity?
    /// True if the key is only what the program reads in the place of one that it doesn't know.
    var hidesKey = false
  }

  /// Returns for each element the index of the earlier element that it is, or nil if it is new: one with the same
  /// content, or else the one with the same key.
  ///
  /// A key identifies nothing if several elements of one state have it, or if one of them hides its own.
  static func earlierIndexes<Identity: Hashable>(
    of elements: [Element<Identity>], in earlier: [Element<Identity>]
  ) -> [Int?] {
    var indexes = earlierIndexes(of: elements.map(\.content), in: earlier.map(\.content))
    let earlierPlaces = placesByKey(of: earlier)
    // An earlier element with the same content has the same key, which belongs to no other element here.
    for (key, place) in placesByKey(of: elements) where indexes[place] == nil { indexes[place] = earlierPlaces[key] }
    return indexes
  }

  /// Returns the elements' places by those of their keys that identify them.
  private static func placesByKey<Identity: Hashable>(of elements: [Element<Identity>]) -> [Identity: Int] {
    var places: [Identity: Int] = [:]
    var ambiguous: Set<Identity> = []
    for (place, element) in elements.enumerated() {
      guard let key = element.key else { continue }
      if places.updateValue(place, forKey: key) != nil || element.hidesKey { ambiguous.insert(key) }
    }
    for key in ambiguous { places[key] = nil }
    return places
  }
}
