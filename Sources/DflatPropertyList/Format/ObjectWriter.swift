import DflatSupport

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Collects the objects of a property list, and writes the list. Each distinct object other than an array or a
/// dictionary is stored once.
///
/// Two objects are the same if their encoded bytes are. Equality of the values would merge zeros of both signs and the
/// spellings of one text.
package struct ObjectWriter: ~Copyable {
  /// The number of an object in the list's table of offsets.
  package typealias Object = UInt32

  struct Container: BitwiseCopyable {
    let isDictionary: Bool
    /// Its object numbers in `references`; a dictionary's keys come before its values.
    let start: Int
    let count: Int

    /// The number of elements, or of keys.
    var length: Int { isDictionary ? count / 2 : count }
  }

  /// The header, and all objects but arrays and dictionaries, whose references have a size that is known at the end.
  private var bytes = GrowingBuffer<UInt8>(capacity: 512)
  /// For each object its offset in `bytes`, the complement of its index in `containers`, or `reserved`.
  private var locations = GrowingBuffer<Int>(capacity: 32)
  private var containers = GrowingBuffer<Container>(capacity: 4)
  private var references = GrowingBuffer<Object>(capacity: 32)
  private var unique = UniqueObjects()
  /// For each object that is the key of a large dictionary, the dictionary that used it last.
  private var keyUses: [Int] = []
  /// The extent of the whole list, with shared objects counted at each reference, as `PropertyListCheck` counts it.
  private var extent = PropertyListExtent(objects: 0, memory: 0)

  private static var reserved: Int { .min }

  package init() { append(PropertyListFormat.header) }

  /// The size in bytes up to which a writer's buffers are kept for another list.
  private static var keptCapacity: Int { 1 << 16 }

  /// Begins another list in the same buffers. Returns false if they are too large to be kept.
  mutating func reset() -> Bool {
    guard bytes.capacity <= Self.keptCapacity, 8 * locations.capacity <= Self.keptCapacity,
      4 * references.capacity <= Self.keptCapacity, unique.reset(keeping: Self.keptCapacity)
    else { return false }
    bytes.removeLast(downTo: PropertyListFormat.header.count)
    locations.removeLast(downTo: 0)
    containers.removeLast(downTo: 0)
    references.removeLast(downTo: 0)
    keyUses.removeAll(keepingCapacity: true)
    extent = PropertyListExtent(objects: 0, memory: 0)
    return true
  }

  // MARK: Objects

  package mutating func bool(_ value: Bool) -> Object {
    let start = bytes.count
    bytes.append(value ? 0x09 : 0x08)
    return leaf(from: start)
  }

  /// An absence, as property list encoders write it: the ASCII string `$null`. See `string(_:)`.
  package mutating func null() -> Object {
    let start = bytes.count
    appendMarker(0x50, count: PropertyListFormat.null.count)
    append(PropertyListFormat.null)
    return leaf(from: start, contents: PropertyListFormat.null.count)
  }

  package mutating func integer(_ value: Int64) -> Object {
    let start = bytes.count
    appendInteger(value)
    return leaf(from: start)
  }

  package mutating func integer(_ value: UInt64) -> Object {
    if let small = Int64(exactly: value) { return integer(small) }
    let start = bytes.count
    bytes.append(0x14)
    append(0, width: 8)
    append(value, width: 8)
    return leaf(from: start)
  }

  package mutating func real(_ value: Double) -> Object { leaf(0x23, value.bitPattern, width: 8) }

  package mutating func real(_ value: Float) -> Object { leaf(0x22, UInt64(value.bitPattern), width: 4) }

  /// - Parameter seconds: The seconds since 2001-01-01 00:00:00 UTC.
  package mutating func date(_ seconds: Double) -> Object { leaf(0x33, seconds.bitPattern, width: 8) }

  /// A reference within a keyed archive.
  package mutating func uid(_ value: UInt64) -> Object {
    let width = PropertyListFormat.width(of: value)
    return leaf(0x80 | UInt8(width - 1), value, width: width)
  }

  package mutating func data(_ data: UnsafeRawBufferPointer) -> Object {
    let start = bytes.count
    appendMarker(0x40, count: data.count)
    append(data)
    return leaf(from: start, contents: data.count)
  }

  /// Writes ASCII as such, and other text as UTF-16. The string `$null` is written as UTF-16 too, because its ASCII
  /// form means an absence.
  package mutating func string(_ text: String) -> Object {
    var text = text
    return text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
  }

  private mutating func string(_ utf8: UnsafeRawBufferPointer) -> Object {
    let start = bytes.count
    if PropertyListFormat.isASCII(utf8), !PropertyListFormat.isNull(utf8) {
      appendMarker(0x50, count: utf8.count)
      append(utf8)
      return leaf(from: start, contents: utf8.count)
    }
    let units = PropertyListFormat.utf16Count(ofUTF8: utf8)
    appendMarker(0x60, count: units)
    var target = bytes.extend(by: 2 * units)
    PropertyListFormat.forEachUTF16(ofUTF8: utf8) { unit in
      target[0] = UInt8(truncatingIfNeeded: unit >> 8)
      target[1] = UInt8(truncatingIfNeeded: unit)
      target += 2
    }
    return leaf(from: start, contents: 3 * units)
  }

  private mutating func leaf(_ marker: UInt8, _ number: UInt64, width: Int) -> Object {
    let start = bytes.count
    bytes.append(marker)
    append(number, width: width)
    return leaf(from: start)
  }

  /// Returns the number of the object that was appended last, after removing it if the same one is there already.
  ///
  /// - Parameter contents: The size in bytes of its contents after decoding, if it is of variable length.
  private mutating func leaf(from start: Int, contents: Int = 0) -> Object {
    extent.addLeaf(contents: contents)
    let found = unique.find(bytes: bytes, from: start, locations: locations)
    if found < locations.count { bytes.removeLast(downTo: start) } else { locations.append(start) }
    return Object(truncatingIfNeeded: found)
  }

  /// Reserves a number for an object that is referred to before it is complete.
  package mutating func reserve() -> Object {
    locations.append(Self.reserved)
    return Object(locations.count - 1)
  }

  /// Completes a reserved object with the contents of another one.
  package mutating func define(_ object: Object, as other: Object) { locations[Int(object)] = locations[Int(other)] }

  package mutating func array(_ elements: UnsafeBufferPointer<Object>, as object: Object? = nil) -> Object {
    let start = references.count
    let target = references.extend(by: elements.count)
    for (index, element) in elements.enumerated() { target[index] = element }
    return container(false, start, as: object)
  }

  /// Writes only the last value of each key, at the place of the first.
  mutating func dictionary(ofLatest members: UnsafeBufferPointer<Object>, as object: Object? = nil) -> Object {
    if hasKeyTwice(members) { return distinct(members).withUnsafeBufferPointer { dictionary($0, as: object) } }
    return dictionary(members, as: object)
  }

  /// - Parameter members: Keys and values in turn.
  package mutating func dictionary(_ members: UnsafeBufferPointer<Object>, as object: Object? = nil) -> Object {
    let start = references.count
    let target = references.extend(by: members.count)
    let count = members.count / 2
    for index in 0..<count {
      target[index] = members[2 * index]
      target[count + index] = members[2 * index + 1]
    }
    return container(true, start, as: object)
  }

  private mutating func container(_ isDictionary: Bool, _ start: Int, as object: Object?) -> Object {
    extent.addContainer()
    containers.append(Container(isDictionary: isDictionary, start: start, count: references.count - start))
    let object = object ?? reserve()
    locations[Int(object)] = ~(containers.count - 1)
    return object
  }

  /// Returns true for an array or dictionary.
  func isContainer(_ object: Object) -> Bool { locations[Int(object)] < 0 }

  // MARK: Keys that occur twice

  /// The number of keys up to which all are compared with each other.
  private static var smallCount: Int { 12 }

  private mutating func hasKeyTwice(_ members: UnsafeBufferPointer<Object>) -> Bool {
    if members.count <= 2 * Self.smallCount {
      for index in stride(from: 2, to: members.count, by: 2) {
        for earlier in stride(from: 0, to: index, by: 2) where members[earlier] == members[index] { return true }
      }
      return false
    }
    while keyUses.count < locations.count { keyUses.append(-1) }
    var isTwice = false
    for index in stride(from: 0, to: members.count, by: 2) {
      let key = Int(members[index])
      if keyUses[key] == containers.count { isTwice = true }
      keyUses[key] = containers.count
    }
    return isTwice
  }

  /// Returns the members without those that a later one of the same key replaces.
  private func distinct(_ members: UnsafeBufferPointer<Object>) -> [Object] {
    var places: [Object: Int] = [:]
    var kept: [Object] = []
    for index in stride(from: 0, to: members.count, by: 2) {
      if let place = places[members[index]] {
        kept[place + 1] = members[index + 1]
      } else {
        places[members[index]] = kept.count
        kept += [members[index], members[index + 1]]
      }
    }
    return kept
  }

  // MARK: The list

  /// Writes the list whose top is an object. All reserved objects must be complete.
  ///
  /// - Throws: ``PropertyListCheck/Failure`` if readers with these limits would refuse the list.
  package mutating func list(
    top: Object, limits: PropertyListLimits
  ) throws(PropertyListCheck.Failure) -> Data {
    // Compute the widths of references and offsets, and with them the size of the list.
    let referenceWidth = PropertyListFormat.width(of: UInt64(locations.count))
    var tableStart = bytes.count
    for index in 0..<containers.count {
      let container = containers[index]
      tableStart += PropertyListFormat.markerSize(count: container.length) + container.count * referenceWidth
    }
    let offsetWidth = PropertyListFormat.width(of: UInt64(tableStart))
    let size = tableStart + locations.count * offsetWidth + PropertyListFormat.trailerSize
    // Refuse to write what readers would refuse to read.
    guard extent.objects <= limits.objects(forSize: size), extent.memory <= limits.memory(forSize: size) else {
      throw .large
    }

    // Append the containers after the other objects, which are in place already.
    var starts = GrowingBuffer<Int>(capacity: containers.count)
    for index in 0..<containers.count {
      let container = containers[index]
      starts.append(bytes.count)
      appendMarker(container.isDictionary ? 0xd0 : 0xa0, count: container.length)
      var target = bytes.extend(by: container.count * referenceWidth)
      for place in container.start..<container.start + container.count {
        PropertyListFormat.write(UInt64(references[place]), width: referenceWidth, to: target)
        target += referenceWidth
      }
    }
    // Append the table of offsets.
    var target = bytes.extend(by: locations.count * offsetWidth)
    for index in 0..<locations.count {
      let offset = offset(of: locations[index], starts)
      PropertyListFormat.write(UInt64(offset), width: offsetWidth, to: target)
      target += offsetWidth
    }
    // Append the trailer.
    append(0, width: 6)
    bytes.append(UInt8(offsetWidth))
    bytes.append(UInt8(referenceWidth))
    append(UInt64(locations.count), width: 8)
    append(UInt64(top), width: 8)
    append(UInt64(tableStart), width: 8)
    return Data(bytes: bytes.base, count: bytes.count)
  }

  /// An object that was reserved and never completed, by a value whose encoding failed, has the place of the first one:
  /// nothing refers to it, but readers want each entry of the table to be an object.
  private func offset(of location: Int, _ starts: borrowing GrowingBuffer<Int>) -> Int {
    if location == Self.reserved { return PropertyListFormat.header.count }
    return location >= 0 ? location : starts[~location]
  }

  // MARK: Bytes

  private mutating func append(_ data: [UInt8]) { data.withUnsafeBytes { append($0) } }

  private mutating func append(_ data: UnsafeRawBufferPointer) {
    guard let source = data.baseAddress else { return }
    memcpy(bytes.extend(by: data.count), source, data.count)
  }

  private mutating func append(_ number: UInt64, width: Int) {
    PropertyListFormat.write(number, width: width, to: bytes.extend(by: width))
  }

  private mutating func appendInteger(_ value: Int64) {
    // The format defines integers shorter than eight bytes as unsigned.
    let width = value < 0 ? 8 : PropertyListFormat.width(of: UInt64(value))
    bytes.append(0x10 | UInt8(width.trailingZeroBitCount))
    append(UInt64(bitPattern: value), width: width)
  }

  private mutating func appendMarker(_ marker: UInt8, count: Int) {
    if count < 15 {
      bytes.append(marker | UInt8(count))
    } else {
      bytes.append(marker | 15)
      appendInteger(Int64(count))
    }
  }
}

/// A hash table of object numbers by their encoded bytes. Linear probing, at most three quarters full.
struct UniqueObjects: ~Copyable {
  /// The upper half of an entry is a part of the hash, the lower one the object's number plus one; 0 is free.
  private var entries = Self.free(32)
  private var count = 0

  private static func free(_ count: Int) -> GrowingBuffer<UInt64> {
    var entries = GrowingBuffer<UInt64>(capacity: count)
    entries.extend(by: count).update(repeating: 0, count: count)
    return entries
  }

  /// Removes all objects. Returns false if the table is larger than a size in bytes.
  mutating func reset(keeping size: Int) -> Bool {
    guard 8 * entries.count <= size else { return false }
    entries.base.update(repeating: 0, count: entries.count)
    count = 0
    return true
  }

  /// Returns the number of the object whose encoded bytes are the last ones, from `start`; that of the next object if
  /// there is none yet, after adding it.
  mutating func find(
    bytes: borrowing GrowingBuffer<UInt8>, from start: Int, locations: borrowing GrowingBuffer<Int>
  ) -> Int {
    let length = bytes.count - start
    let encoded = UnsafeRawBufferPointer(start: bytes.base + start, count: length)
    let hash = BytesHash.hash(encoded) >> 32
    var slot = Int(hash) & (entries.count - 1)
    while entries[slot] != 0 {
      if entries[slot] >> 32 == hash {
        let object = Int(entries[slot] & 0xffff_ffff) - 1
        let offset = locations[object]
        // An object's first bytes contain its length, so one that begins with the bytes of another one is the same.
        let other = UnsafeRawBufferPointer(start: bytes.base + offset, count: length)
        if offset + length <= start, other.isSame(as: encoded) { return object }
      }
      slot = (slot + 1) & (entries.count - 1)
    }
    entries[slot] = hash << 32 | UInt64(locations.count + 1)
    count += 1
    if 4 * count > 3 * entries.count { grow() }
    return locations.count
  }

  private mutating func grow() {
    var larger = Self.free(2 * entries.count)
    for index in 0..<entries.count where entries[index] != 0 {
      var slot = Int(entries[index] >> 32) & (larger.count - 1)
      while larger[slot] != 0 { slot = (slot + 1) & (larger.count - 1) }
      larger[slot] = entries[index]
    }
    entries = larger
  }
}
