import DflatBuffers
import DflatCore

extension RowWriter {
  /// Throws if another row has the values. The error names the primary key if that is a duplicate too.
  func refuseDuplicate(
    of values: ArraySlice<QueryValue>, in index: MaintainedIndex, _ root: FlatBufferTable, except rowid: Int64
  ) throws {
    guard index.isUnique else { return }
    if !index.entry.isComplete { table.searches += 1 }
    guard try index.hasDuplicate(of: values, except: rowid) else { return }
    let key = try entity.keyReaders.map { try $0.value(in: root) }
    if let found = try EntityRows.find(key, in: entity, on: connection), found.rowid != rowid { throw keyExists }
    throw alreadyExists(index.fieldNames ?? index.entry.path)
  }
}
