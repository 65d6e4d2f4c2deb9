package import DflatSQLite

/// The content of a record: what one commit changed in the file.
///
///     record    = 0x01 changes: bytes  count: number  segment*
///     segment   = count: number  statement: text*  changeset: bytes
///
/// `changes` is the commit's row of the change log (docs/storage-format.md, "Change records", which defines number,
/// bytes and text). The statements of a segment create or drop tables and indexes; its changeset has SQLite's format
/// (<https://www.sqlite.org/session/c_changegroup.html>).
package struct CommitContent: Equatable {
  private static let version: UInt8 = 1

  /// The commit's changes as the change log describes them to the participants.
  package var changes: [UInt8]
  /// The changes for another machine's file, in the order in which they are applied.
  package var segments: [ChangeSegment]

  package var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.write(Self.version)
    writer.write(counted: changes)
    writer.write(UInt64(segments.count))
    for segment in segments {
      writer.write(UInt64(segment.schemaChanges.count))
      for text in segment.schemaChanges { writer.write(counted: text) }
      writer.write(counted: segment.changeset)
    }
    return writer.bytes
  }

  package init(changes: [UInt8], segments: [ChangeSegment]) {
    self.changes = changes
    self.segments = segments
  }

  /// Decodes a record.
  ///
  /// - Throws: ``CommitLogError`` with code `.foreign` for malformed bytes.
  package init(decoding record: CommitRecord) throws {
    guard record.bytes.first == Self.version else {
      throw CommitLogError(
        .foreign, "record \(record.number) has a format that this version doesn't know; update the program")
    }
    guard let content = Self.decode(record.bytes) else {
      throw CommitLogError(.foreign, "record \(record.number) is damaged")
    }
    self = content
  }

  private static func decode(_ bytes: [UInt8]) -> CommitContent? {
    var reader = RecordReader(bytes)
    guard reader.byte() == version, let changes = reader.counted(), let count = reader.number(), count <= bytes.count
    else { return nil }
    var segments: [ChangeSegment] = []
    for _ in 0..<count {
      guard let statements = reader.number(), statements <= bytes.count else { return nil }
      var schemaChanges: [String] = []
      for _ in 0..<statements {
        guard let bytes = reader.counted(), let text = String(validating: bytes, as: UTF8.self) else { return nil }
        schemaChanges.append(text)
      }
      guard let changeset = reader.counted() else { return nil }
      segments.append(ChangeSegment(schemaChanges: schemaChanges, changeset: [UInt8](changeset)))
    }
    return reader.isAtEnd ? CommitContent(changes: [UInt8](changes), segments: segments) : nil
  }
}
