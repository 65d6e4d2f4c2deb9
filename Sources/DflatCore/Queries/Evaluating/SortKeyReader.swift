package import DflatBuffers

/// Reads the sort keys of objects from their bytes.
package struct SortKeyReader: Sendable {
  private struct Part: Sendable {
    let reader: PathReader
    let isDescending: Bool
    /// For a custom order, the indices of the values.
    let places: ValueTable?

    init(_ order: QueryOrder) {
      reader = PathReader(order.field.path)
      isDescending = order.isDescending
      places = order.places.map { places in ValueTable(places.lazy.map { ($0.key, $0.value) }) }
    }

    func value(in root: FlatBufferTable) throws(FlatBufferError) -> SortValue {
      if reader.isText {
        guard let text = try reader.text(in: root) else { return null }
        if let places { return place(places.number(of: text)) }
        return SortValue(text: text, isDescending: isDescending)
      }
      guard var word = try reader.word(in: root) else { return null }
      if reader.isReal {
        let real = Double(bitPattern: word)
        word = real.orderedWord
        if real.isNaN, places != nil { return place(nil) }
      }
      if let places { return place(places.number(of: word)) }
      return SortValue(word: word, isDescending: isDescending)
    }

    private var null: SortValue { places != nil ? place(nil) : isDescending ? .last : .none }

    private func place(_ place: Int?) -> SortValue {
      SortValue(word: UInt64(place.map { $0 + 1 } ?? 0), isDescending: isDescending)
    }
  }

  private let first: Part?
  private let others: [Part]

  /// Creates a reader; without orders, its keys sort by rowid.
  package init(_ orders: [QueryOrder]) {
    first = orders.first.map(Part.init)
    others = orders.dropFirst().map(Part.init)
  }

  /// Returns the sort key of an object.
  ///
  /// - Throws: `FlatBufferError` if data that the key reads is damaged.
  package func key(of bytes: UnsafeRawBufferPointer, rowid: Int64) throws(FlatBufferError) -> SortKey {
    guard first != nil else { return SortKey(rowid: rowid) }
    return try key(of: FlatBufferTable(rootOf: bytes), rowid: rowid)
  }

  /// Returns the sort key of an object.
  ///
  /// - Throws: `FlatBufferError` if data that the key reads is damaged.
  package func key(of root: FlatBufferTable, rowid: Int64) throws(FlatBufferError) -> SortKey {
    guard let first else { return SortKey(rowid: rowid) }
    var rest: [SortValue] = []
    for part in others { rest.append(try part.value(in: root)) }
    return SortKey(try first.value(in: root), rest, rowid: rowid)
  }
}
