/// A commit in the file's change log, which keeps the newest ones.
package struct LoggedCommit: Sendable {
  package let number: UInt64
  private let bytes: [UInt8]

  init(_ record: ChangeLog.Record) {
    number = record.commitNumber
    bytes = record.bytes
  }

  /// Returns the record of a participant, by its kind.
  package func record(of kind: UInt8) -> RecordReader.Lookup { RecordReader.record(of: kind, in: bytes) }
}
