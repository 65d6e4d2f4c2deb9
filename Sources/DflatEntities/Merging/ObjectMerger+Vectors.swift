import DflatBuffers
import DflatSchema

/// Merging vectors, whose elements have no identity: the program may have inserted, removed, moved and changed some. An
/// element is the stored one that looks the same to the program, or else the only one with the same `key`.
extension ObjectMerger {
  /// Writes a vector of anything but unions. Returns nil if there is nothing to keep in it.
  func mergeVector(
    _ field: TableDefinition.Field, _ knownElement: TableDefinition.ElementType,
    _ element: TableDefinition.ElementType, _ written: FlatBufferTable, over stored: FlatBufferTable,
    with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) -> FlatBufferOffset? {
    // Both states must have the vector, with elements of one size.
    let size = newer.size(of: element)
    guard known.schema.size(of: knownElement) == size,
      let old = try stored.vector(field.slot, elementSize: size),
      let new = try written.vector(field.slot, elementSize: size)
    else { return nil }
    switch (knownElement, element) {
    // Nothing is kept if the program knows all numbers, or sees all of each struct.
    case (.enumeration(let knownEnum), .enumeration):
      let hasUnknown = (0..<old.count).contains { index in
        !known.isKnown(old.element(at: index, size: size).scalarBits, inEnum: knownEnum)
      }
      guard hasUnknown else { return nil }
      let bytes = keep(old, in: new, size: size) { known.seen($0.scalarBits, ofEnum: knownEnum) }
      return bytes.withUnsafeBytes { createVector($0, count: new.count, of: element, field, with: &builder) }
    case (.structure(let knownStruct), .structure):
      guard known.hidesParts(ofStruct: knownStruct) else { return nil }
      let bytes = keep(old, in: new, size: size) { known.identity(of: $0, knownStruct) }
      return bytes.withUnsafeBytes { createVector($0, count: new.count, of: element, field, with: &builder) }
    case (.table(let knownIndex), .table(let index)):
      return try mergeTables(new, over: old, knownIndex, index, with: &builder)
    default: return nil
    }
  }

  /// Returns the bytes of a vector's elements, with the stored bytes of those that the vector has kept.
  private func keep<Identity: Hashable>(
    _ old: FlatBufferVector, in new: FlatBufferVector, size: Int, by identity: (UnsafeRawBufferPointer) -> Identity
  ) -> [UInt8] {
    let earlier = (0..<old.count).map { identity(old.element(at: $0, size: size)) }
    let elements = (0..<new.count).map { identity(new.element(at: $0, size: size)) }
    var bytes = Array(new.bytes)
    for (index, found) in ElementMatching.earlierIndexes(of: elements, in: earlier).enumerated() {
      guard let found else { continue }
      bytes.replaceSubrange(index * size..<(index + 1) * size, with: old.element(at: found, size: size))
    }
    return bytes
  }

  // MARK: Tables

  private func mergeTables(
    _ new: FlatBufferVector, over old: FlatBufferVector, _ knownIndex: Int, _ index: Int,
    with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) -> FlatBufferOffset {
    let key = key(ofTable: index, knownIndex)
    let found = try earlierTables(of: new, in: old, knownIndex, key: key)
    var offsets: [FlatBufferOffset] = []
    for place in 0..<new.count {
      if let earlier = found[place], key != nil {
        let stored = try old.table(at: earlier)
        offsets.append(try merge(new.table(at: place), over: stored, knownIndex, index, with: &builder))
      } else if let earlier = found[place] {
        // The two look the same, so the stored table is what the program has written.
        offsets.append(try copy(old.table(at: earlier), index, with: &builder))
      } else {
        offsets.append(try copy(new.table(at: place), index, with: &builder))
      }
    }
    return builder.create(offsets: offsets)
  }

  private func earlierTables(
    of new: FlatBufferVector, in old: FlatBufferVector, _ knownIndex: Int, key: TableDefinition.Field?
  ) throws(FlatBufferError) -> [Int?] {
    let earlier = try tables(of: old, knownIndex, key: key)
    let elements = try tables(of: new, knownIndex, key: key)
    return ElementMatching.earlierIndexes(of: elements, in: earlier)
  }

  private func tables(
    of vector: FlatBufferVector, _ knownIndex: Int, key: TableDefinition.Field?
  ) throws(FlatBufferError) -> [ElementMatching.Element<KnownContent>] {
    var elements: [ElementMatching.Element<KnownContent>] = []
    for place in 0..<vector.count {
      let table = try vector.table(at: place)
      var element = ElementMatching.Element(content: try known.identity(of: table, knownIndex, key: nil))
      if let key {
        element.key = try known.identity(of: table, knownIndex, key: key)
        element.hidesKey = try !known.isKnown(key, of: table)
      }
      elements.append(element)
    }
    return elements
  }

  /// Returns the field of a table with the attribute `key`, in the program's schema; nil if it has none that the
  /// program sees.
  private func key(ofTable index: Int, _ knownIndex: Int) -> TableDefinition.Field? {
    let key = newer.tables[index].fields.first { $0.declaration.attributes["key"] != nil }
    return key.flatMap { known.field($0.slot, ofTable: knownIndex) }
  }

  // MARK: Unions

  /// Writes a vector of unions. Returns false if there is nothing to keep in it.
  func mergeUnions(
    _ field: TableDefinition.Field, _ knownUnion: Int, _ union: Int, _ written: FlatBufferTable,
    over stored: FlatBufferTable, to parts: inout [TablePart], with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) -> Bool {
    let earlier = try unions(field.slot, of: stored, union)
    if earlier.isEmpty { return false }
    let sources = try sources(of: unions(field.slot, of: written, union), over: earlier, knownUnion)
    if sources.isEmpty { return false }
    try write(sources, field, to: &parts, with: &builder)
    return true
  }

  /// Returns the elements of the merged vector: the program's, and those that it doesn't see.
  private func sources(
    of elements: [UnionElement], over earlier: [UnionElement], _ knownUnion: Int
  ) throws(FlatBufferError) -> [UnionSource] {
    // Find the stored elements that the program has kept.
    let visible = earlier.indices.filter { known.member(earlier[$0].kind, ofUnion: knownUnion) != nil }
    var visibleElements: [ElementMatching.Element<KnownContent>] = []
    for index in visible { visibleElements.append(try matched(earlier[index], knownUnion)) }
    var newElements: [ElementMatching.Element<KnownContent>] = []
    for element in elements { newElements.append(try matched(element, knownUnion)) }
    let places = ElementMatching.earlierIndexes(of: newElements, in: visibleElements)
    let found = places.map { place in place.map { visible[$0] } }
    // Each element that the program doesn't see stays behind the last kept one before it.
    let kept = Set(found.compactMap { $0 })
    var followers: [Int: [UnionSource]] = [:]
    var last = -1
    for (index, element) in earlier.enumerated() {
      if known.member(element.kind, ofUnion: knownUnion) == nil {
        followers[last, default: []].append(.copied(element))
      } else if kept.contains(index) {
        last = index
      }
    }
    // Put the elements together: the program's in their order, each with its followers.
    var sources = followers[-1] ?? []
    for (element, index) in zip(elements, found) {
      guard let index else {
        sources.append(.copied(element))
        continue
      }
      sources.append(source(of: element, over: earlier[index], knownUnion))
      sources += followers[index] ?? []
    }
    return sources
  }

  /// Returns what an element is matched by.
  private func matched(
    _ element: UnionElement, _ knownUnion: Int
  ) throws(FlatBufferError) -> ElementMatching.Element<KnownContent> {
    guard let type = known.member(element.kind, ofUnion: knownUnion) else { return .init(content: KnownContent()) }
    var matched = ElementMatching.Element(
      content: try known.identity(of: element.member, element.kind, type, key: nil))
    if let key = key(of: element, type) {
      matched.key = try known.identity(of: element.member, element.kind, type, key: key)
      matched.hidesKey = try !known.isKnown(key, of: element.member.table())
    }
    return matched
  }

  private func key(of element: UnionElement, _ knownType: UnionDefinition.MemberType) -> TableDefinition.Field? {
    guard case (.table(let knownIndex), .table(let index)) = (knownType, element.type) else { return nil }
    return key(ofTable: index, knownIndex)
  }

  /// Returns the source of an element that the program has kept.
  private func source(of element: UnionElement, over stored: UnionElement, _ knownUnion: Int) -> UnionSource {
    guard case .table(let knownIndex)? = known.member(element.kind, ofUnion: knownUnion),
      case .table(let index) = element.type, key(ofTable: index, knownIndex) != nil
    else { return .copied(stored) }
    return .merged(element, over: stored, known: knownIndex, newer: index)
  }
}
