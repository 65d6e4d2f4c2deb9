/// Checks a list before its objects are read. All objects reachable from the top one must lie within the bytes, and
/// none may contain itself. Counting shared objects at each reference, they may not take more memory and time than the
/// size of the list permits: types read an object each time they ask for it, and recurse along the nesting.
package struct PropertyListCheck {
  package enum Failure: Error, CustomStringConvertible {
    case damaged
    case deep
    case large

    package var description: String {
      switch self {
      case .damaged: "its bytes are not a binary property list"
      case .deep: "it is nested more than \(PropertyListLimits.maximumDepth) levels deep, or contains itself"
      case .large: "it would take more objects or more memory than is allowed"
      }
    }
  }

  private let reader: ObjectReader
  private let maximumObjects: Int
  private let maximumMemory: Int
  /// For each object the place of its extent in `extents`, plus one, if it is an array or dictionary that was visited.
  private var places: [Int32] = []
  /// One with 0 objects is being visited.
  private var extents: [PropertyListExtent] = []
  /// The number of references followed. The extents don't bound it: arrays that are refused in the end share others.
  private var visited = 0

  /// Throws if the list must not be read.
  package static func run(_ reader: ObjectReader, limits: PropertyListLimits) throws(Failure) {
    var check = PropertyListCheck(reader, limits: limits)
    let extent = try check.extent(of: reader.top, depth: 0)
    if extent.memory > check.maximumMemory { throw .large }
  }

  private init(_ reader: ObjectReader, limits: PropertyListLimits) {
    self.reader = reader
    maximumObjects = limits.objects(forSize: reader.bytes.count)
    maximumMemory = limits.memory(forSize: reader.bytes.count)
  }

  private var bytes: UnsafeRawBufferPointer { reader.bytes }
  private var end: Int { reader.tableStart }

  /// Returns the extent of an object, and of all that it contains.
  private mutating func extent(of object: Int, depth: Int) throws(Failure) -> PropertyListExtent {
    // Find the object, which must lie between the header and the table of offsets.
    guard object < reader.count else { throw .damaged }
    let entry = PropertyListFormat.number(bytes, end + object * reader.offsetWidth, reader.offsetWidth)
    guard let offset = Int(exactly: entry), offset >= 8, offset < end else { throw .damaged }
    let marker = bytes[offset]
    let low = Int(marker & 15)
    switch marker >> 4 {
    case 0x0:
      guard marker == 0 || marker == 8 || marker == 9 else { throw .damaged }
      return PropertyListExtent()
    case 0x1: return try leaf(offset + 1, 1 << low, low <= 4)
    case 0x2: return try leaf(offset + 1, 1 << low, low == 2 || low == 3)
    case 0x3: return try leaf(offset + 1, 8, low == 3)
    case 0x8: return try leaf(offset + 1, low + 1, low < 8)
    case 0x4, 0x5, 0x7:
      let (count, start) = try length(at: offset, low)
      return try leaf(start, count, true, memory: count)
    // A unit of two bytes takes up to three as UTF-8.
    case 0x6:
      let (count, start) = try length(at: offset, low)
      return try leaf(start, 2 * count, true, memory: 3 * count)
    // A dictionary refers to keys and values.
    case 0xa, 0xd:
      let (count, start) = try length(at: offset, low)
      return try container(object, start, marker >> 4 == 0xd ? 2 * count : count, depth: depth)
    default: throw .damaged
    }
  }

  /// Returns the extent of an object that contains no others.
  private func leaf(
    _ start: Int, _ length: Int, _ isKnown: Bool, memory: Int = 0
  ) throws(Failure) -> PropertyListExtent {
    guard isKnown, start <= end, length <= end - start else { throw .damaged }
    return .leaf(contents: memory)
  }

  /// Returns the extent of an array or dictionary. Visits any but the top one only once.
  private mutating func container(
    _ object: Int, _ start: Int, _ references: Int, depth: Int
  ) throws(Failure) -> PropertyListExtent {
    guard start <= end, references <= (end - start) / reader.referenceWidth else { throw .damaged }
    if let known = known(object) {
      guard known.objects > 0, depth + known.height <= PropertyListLimits.maximumDepth else { throw .deep }
      return known
    }
    guard depth < PropertyListLimits.maximumDepth else { throw .deep }
    // Most values are one array or dictionary of leaves, for which this allocates nothing. The maximum depth ends a
    // cycle through the top object.
    if depth > 0 { remember(PropertyListExtent(objects: 0), of: object) }
    var extent = PropertyListExtent.container
    for index in 0..<references {
      let reference = PropertyListFormat.number(bytes, start + index * reader.referenceWidth, reader.referenceWidth)
      visited += 1
      try extent.add(self.extent(of: Int(exactly: reference) ?? .max, depth: depth + 1))
      if visited > maximumObjects || extent.objects > maximumObjects || extent.memory > maximumMemory { throw .large }
    }
    if depth > 0 { remember(extent, of: object) }
    return extent
  }

  private func known(_ object: Int) -> PropertyListExtent? {
    places.isEmpty || places[object] == 0 ? nil : extents[Int(places[object]) - 1]
  }

  private mutating func remember(_ extent: PropertyListExtent, of object: Int) {
    if places.isEmpty { places = [Int32](repeating: 0, count: reader.count) }
    if places[object] == 0 {
      extents.append(extent)
      places[object] = Int32(truncatingIfNeeded: extents.count)
    } else {
      extents[Int(places[object]) - 1] = extent
    }
  }

  /// Returns an object's length, from its marker or from the integer after it, and the start of its contents.
  private func length(at offset: Int, _ low: Int) throws(Failure) -> (count: Int, start: Int) {
    guard low == 15 else { return (low, offset + 1) }
    guard offset + 1 < end, bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 15 <= 3 else { throw .damaged }
    let width = 1 << Int(bytes[offset + 1] & 15)
    guard offset + 2 + width <= end, let count = Int(exactly: PropertyListFormat.number(bytes, offset + 2, width)),
      count <= bytes.count
    else { throw .damaged }
    return (count, offset + 2 + width)
  }
}
