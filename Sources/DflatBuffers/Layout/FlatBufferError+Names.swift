extension FlatBufferError {
  /// Returns the error with the names of the table being read and of its field, unless a nested table has named it.
  @usableFromInline
  @inline(never)
  func named(by layout: TableLayout) -> FlatBufferError {
    guard table == nil else { return self }
    var named = self
    named.table = layout.name
    named.field = field ?? layout.fieldName(at: slot)
    named.slot = 0
    return named
  }

  /// Returns the error with the name of the struct being read, unless it has a name.
  @usableFromInline
  @inline(never)
  func named(by layout: StructLayout) -> FlatBufferError {
    guard table == nil else { return self }
    var named = self
    named.table = layout.name
    named.slot = 0
    return named
  }
}
