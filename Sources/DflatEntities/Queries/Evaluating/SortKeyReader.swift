package import DflatBuffers

/// Reads the sort keys of objects from their bytes.
package struct SortKeyReader: Sendable {
  private struct Part: Sendable {
    let reader: PathReader
    let isDescending: Bool
    /// For a custom order, the indices of the values.
    let ranks: ValueTable?
    let isRelevance: Bool
    let relevance: RelevanceRanks?

    init(_ order: QueryOrder) {
      isRelevance = order.isRelevance
      relevance = order.relevance
      reader = PathReader(order.field.path)
      isDescending = order.isDescending
      ranks = order.ranks.map { ranks in ValueTable(ranks.lazy.map { ($0.key, $0.value) }) }
    }

    func value(in root: FlatBufferTable, _ rowid: Int64) throws(FlatBufferError) -> SortValue {
      if isRelevance {
        guard let rank = relevance?.ranks[rowid] else { return .last }
        return SortValue(bits: rank.orderedBits, isDescending: false)
      }
      if reader.isText {
        guard let text = try reader.text(in: root) else { return null }
        if let ranks { return rank(ranks.number(of: text)) }
        return SortValue(text: text, isDescending: isDescending)
      }
      guard var bits = try reader.bits(in: root) else { return null }
      if reader.isReal {
        let real = Double(bitPattern: bits)
        bits = real.orderedBits
        if real.isNaN, ranks != nil { return rank(nil) }
      }
      if let ranks { return rank(ranks.number(of: bits)) }
      return SortValue(bits: bits, isDescending: isDescending)
    }

    private var null: SortValue { ranks != nil ? rank(nil) : isDescending ? .last : .none }

    private func rank(_ rank: Int?) -> SortValue {
      SortValue(bits: UInt64(rank.map { $0 + 1 } ?? 0), isDescending: isDescending)
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
    for part in others { rest.append(try part.value(in: root, rowid)) }
    return SortKey(try first.value(in: root, rowid), rest, rowid: rowid)
  }
}
