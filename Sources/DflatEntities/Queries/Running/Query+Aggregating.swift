import DflatBuffers
import DflatCore

/// Values computed from one field of the objects that `fetch` would return. Besides those of the predicate and order,
/// only this field is read from the stored bytes. The order matters only together with a limit or an offset.
///
/// **Memory.** If the query has an order that no index has, and an offset but no limit, the values of all matches are
/// kept in memory. With a limit, the bytes of as many objects are kept as limit and offset add up to.
extension Query {
  // MARK: Extremes

  /// Returns the smallest value of a field; nil if no object has one. NaN doesn't count.
  ///
  /// If the query has no predicate, limit and offset, and the field has a complete index or is the first one of the
  /// primary key, this reads one object. With a predicate, it reads as much as `first()` does in the field's order, but
  /// sorts nothing. ``explain()`` shows the same for the query with the additional predicate `field != nil`, the order
  /// `field.ascending` and the limit 1.
  ///
  /// Blocks the calling thread until the value is found.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func min<T: DflatFriendlyValue>(of field: FieldExpr<T, Element>) throws -> T? {
    try extreme(of: field, .ascending)
  }

  /// Returns the largest value of a field; nil if no object has one. NaN doesn't count.
  ///
  ///     let newest = try workspace.query(for: Post.self).where(Post.color == .red).max(of: Post.priority)
  ///
  /// Reads as little as ``min(of:)``. Blocks the calling thread until the value is found.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func max<T: DflatFriendlyValue>(of field: FieldExpr<T, Element>) throws -> T? {
    try extreme(of: field, .descending)
  }

  private func extreme<T>(of field: FieldExpr<T, Element>, _ direction: QueryOrder.Direction) throws -> T? {
    let reader = PathReader(field.field.path)
    func keep(_ best: inout QueryValue, _ value: QueryValue) {
      if value == .null || value.isNaN { return }
      let (first, last) = direction == .ascending ? (value, best) : (best, value)
      if best == .null || first.isLess(than: last) { best = value }
    }
    // With a limit or an offset, compare the values of exactly these objects.
    if query.limit != nil || query.offset > 0 {
      let found = try fold(QueryValue.null) { root in
        try reader.value(in: root)
      } into: { best, value in
        keep(&best, value)
      }
      return T(_queryValue: found)
    }
    // Read the first of the objects with a value in the field's order, or all of them if they don't come in this order.
    var rows = query.rows.unordered
    let hasValue = QueryNode.hasNumberOrText(field.field)
    rows.predicate = rows.predicate.map { .and($0, hasValue) } ?? hasValue
    rows.orders = [QueryOrder(direction, by: field.field)]
    rows.limit = 1
    var found = QueryValue.null
    source.note(query.rows)
    try source.read(.swift(Element.self)) { connection, _ in
      found = .null
      var next: MatchingRows? = try rows.matches(on: connection, storage: source.storage)
      while let matches = next {
        let isStreamed = matches.plan.isStreamed
        // Any of several objects with the same value will do.
        let isDone = try matches.forEach(inOrder: !isStreamed) { _, bytes in
          keep(&found, try reader.value(in: FlatBufferTable(rootOf: bytes)))
          return !isStreamed || found == .null
        }
        next = isDone ? nil : matches.fallback
      }
    }
    return T(_queryValue: found)
  }

  // MARK: Sums

  /// Returns the sum of a field's values; 0 if no object has one. The result has 128 bits, so that it can't overflow.
  ///
  ///     let total = try workspace.query(for: Post.self).sum(of: Post.priority)
  ///     let smaller = Int(exactly: total)
  ///
  /// Blocks the calling thread until all values are read.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func sum<T: FixedWidthInteger & DflatFriendlyValue>(of field: FieldExpr<T, Element>) throws -> Int128 {
    try integers(of: field).sum
  }

  /// Returns the sum of a field's values; 0 if no object has one. NaN, or infinities of both signs, make it NaN.
  ///
  /// The values are added as `Double`, in the order of the objects' insertion, or in that of the result if there is a
  /// limit or an offset. So the result doesn't depend on indexes.
  ///
  /// Blocks the calling thread until all values are read.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func sum<T: BinaryFloatingPoint & DflatFriendlyValue>(of field: FieldExpr<T, Element>) throws -> Double {
    try reals(of: field).sum
  }

  /// Returns the average of a field's values; nil if no object has one. The sum that it divides is exact.
  ///
  /// Blocks the calling thread until all values are read.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func average<T: FixedWidthInteger & DflatFriendlyValue>(of field: FieldExpr<T, Element>) throws -> Double? {
    let (sum, count) = try integers(of: field)
    return count == 0 ? nil : Double(sum) / Double(count)
  }

  /// Returns the average of a field's values; nil if no object has one. NaN, or infinities of both signs, make it NaN.
  ///
  /// Blocks the calling thread until all values are read.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func average<T: BinaryFloatingPoint & DflatFriendlyValue>(of field: FieldExpr<T, Element>) throws -> Double? {
    let (sum, count) = try reals(of: field)
    return count == 0 ? nil : sum / Double(count)
  }

  private func integers<T>(of field: FieldExpr<T, Element>) throws -> (sum: Int128, count: Int) {
    let reader = PathReader(field.field.path)
    let isUnsigned = reader.type == .uint64
    return try fold((sum: Int128(0), count: 0)) { root in
      try reader.bits(in: root)
    } into: { total, bits in
      guard let bits else { return }
      total.sum += isUnsigned ? Int128(bits) : Int128(ScalarBits.signed(bits))
      total.count += 1
    }
  }

  private func reals<T>(of field: FieldExpr<T, Element>) throws -> (sum: Double, count: Int) {
    let reader = PathReader(field.field.path)
    return try fold((sum: Double(0), count: 0)) { root in
      try reader.bits(in: root)
    } into: { total, bits in
      guard let bits else { return }
      total.sum += Double(bitPattern: bits)
      total.count += 1
    }
  }

  // MARK: Counts

  /// Returns the number of different values of a field. Objects without a value don't count. Texts are different if
  /// their UTF-8 bytes are; all NaN are one value, and so are 0.0 and -0.0.
  ///
  ///     let authors = try workspace.query(for: Post.self).count(distinct: Post.author)
  ///
  /// Takes memory in proportion to the result. Blocks the calling thread until all values are read.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func count<T: DflatFriendlyValue>(distinct field: FieldExpr<T, Element>) throws -> Int {
    try counts(of: field).distinct
  }

  /// Returns the different values of a field, each with the number of objects that have it.
  ///
  ///     for (color, count) in try workspace.query(for: Post.self).counts(by: Post.color) {
  ///       print(color ?? "none", count)
  ///     }
  ///
  /// The values are in ascending order: first nil, for the objects without a value, and NaN last. They
  /// differ as in ``count(distinct:)``. No count is 0.
  ///
  /// Takes memory in proportion to the result. Blocks the calling thread until all values are read.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func counts<T: DflatFriendlyValue>(by field: FieldExpr<T, Element>) throws -> [(value: T?, count: Int)] {
    let counts = try counts(of: field)
    return counts.sorted(as: field.field.path.type).map { (T(_queryValue: $0.value), $0.count) }
  }

  private func counts<T>(of field: FieldExpr<T, Element>) throws -> ValueCounts {
    let reader = PathReader(field.field.path)
    return try fold(ValueCounts()) { root in
      try reader.value(in: root)
    } into: { counts, value in
      counts.add(value)
    }
  }

  // MARK: Reading

  /// Adds up what `read` returns for each object that `fetch` would return. Leaves out objects that it can't read.
  private func fold<Value, Result>(
    _ initial: Result, _ read: (FlatBufferTable) throws -> Value, into add: (inout Result, Value) -> Void
  ) throws -> Result {
    var result = initial
    source.note(query.rows)
    try source.read(.swift(Element.self)) { connection, _ in
      result = initial
      if query.limit == 0 { return }
      let rows = query.limit == nil && query.offset == 0 ? query.rows.unordered : query.rows
      let matches = try rows.matches(on: connection, storage: source.storage)
      let comesInOrder = rows.comesInOrder(by: matches.plan)
      var values: [Value] = []
      let positions = try rows.visit(matches) { _, bytes in
        let value = try read(FlatBufferTable(rootOf: bytes))
        if comesInOrder { add(&result, value) } else { values.append(value) }
      }
      for position in positions ?? [] { add(&result, values[position]) }
    }
    return result
  }
}

extension QueryNode {
  /// True if a field has a value other than NaN.
  fileprivate static func hasNumberOrText(_ field: QueryField) -> QueryNode {
    if !field.path.type.isReal { return .not(.isNull(.field(field))) }
    return .comparison(.lessOrEqual, .constant(.real(-.infinity)), .field(field))
  }
}

/// The number of times that each value occurs.
private struct ValueCounts {
  private var nulls = 0
  /// The counts of numbers, by their order-preserving bits.
  private var numbers: [UInt64: Int] = [:]
  private var texts: [ByteComparedString: Int] = [:]

  /// The number of different values besides null.
  var distinct: Int { numbers.count + texts.count }

  mutating func add(_ value: QueryValue) {
    switch value {
    case .null: nulls += 1
    case .text(let text): texts[ByteComparedString(text), default: 0] += 1
    case .real(let real): numbers[real.orderedBits, default: 0] += 1
    case .integer(let number): numbers[ScalarBits.of(number), default: 0] += 1
    case .unsigned(let number): numbers[number, default: 0] += 1
    }
  }

  /// Returns the values of a type with their counts, in ascending order.
  func sorted(as type: QueryValueType) -> [(value: QueryValue, count: Int)] {
    var all: [(value: QueryValue, count: Int)] = nulls == 0 ? [] : [(.null, nulls)]
    for (bits, count) in numbers.sorted(by: { $0.key < $1.key }) {
      let value = type.isReal ? QueryValue.real(Double(orderedBits: bits)) : QueryValue(bits: bits, of: type)
      all.append((value, count))
    }
    for (text, count) in texts.sorted(by: { $0.key < $1.key }) { all.append((.text(text.string), count)) }
    return all
  }
}
