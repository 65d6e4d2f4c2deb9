package import DflatSQLite

/// The content of a record: what one commit changed in the file.
///
///     record    = (0x01 | 0x02 features: number) changes: bytes  count: number  segment*
///     segment   = count: number  statement: text*  changeset: bytes
///
/// `features` are those of the writer's file, without its being a replica (`FileFormat.Features`); a file without any has
/// records of version 1. So programs that don't know a feature refuse the record as they would refuse the file.
/// `changes` is the commit's row of the change log (docs/storage-format.md, "Change records", which defines number,
/// bytes and text). The statements of a segment create or drop tables and indexes; its changeset has SQLite's format
/// (<https://www.sqlite.org/session/c_changegroup.html>).
package struct CommitContent: Equatable {
  private enum Version { static let (plain, withFeatures): (UInt8, UInt8) = (1, 2) }

  /// The features that a file needs for the commit.
  package var features: FileFormat.Features
  /// The commit's changes as the change log describes them to the participants.
  package var changes: [UInt8]
  /// The changes for another machine's file, in the order in which they are applied.
  package var segments: [ChangeSegment]

  package var encoded: [UInt8] {
    var writer = RecordWriter()
    if features.isEmpty {
      writer.write(Version.plain)
    } else {
      writer.write(Version.withFeatures)
      writer.write(UInt64(features.rawValue))
    }
    writer.write(counted: changes)
    writer.write(UInt64(segments.count))
    for segment in segments {
      writer.write(UInt64(segment.schemaChanges.count))
      for text in segment.schemaChanges { writer.write(counted: text) }
      writer.write(counted: segment.changeset)
    }
    return writer.bytes
  }

  package init(features: FileFormat.Features = [], changes: [UInt8], segments: [ChangeSegment]) {
    self.features = features
    self.changes = changes
    self.segments = segments
  }

  /// Decodes a record.
  ///
  /// - Throws: ``CommitLogError`` with code `.foreign` for malformed bytes.
  package init(decoding record: CommitRecord) throws {
    guard let version = record.bytes.first, version == Version.plain || version == Version.withFeatures else {
      throw Self.isNewer(record)
    }
    guard let content = Self.decode(record.bytes) else {
      throw CommitLogError(.foreign, "record \(record.number) is damaged")
    }
    guard content.features.isSubset(of: .all.subtracting(.replicated)) else { throw Self.isNewer(record) }
    self = content
  }

  private static func isNewer(_ record: CommitRecord) -> CommitLogError {
    CommitLogError(
      .foreign, "record \(record.number) has a format that this version doesn't know; update the program")
  }

  private static func decode(_ bytes: [UInt8]) -> CommitContent? {
    var reader = RecordReader(bytes)
    guard let version = reader.byte() else { return nil }
    var features: FileFormat.Features = []
    if version == Version.withFeatures {
      guard let number = reader.number().flatMap(Int64.init(exactly:)) else { return nil }
      features = FileFormat.Features(rawValue: number)
    }
    guard let changes = reader.counted(), let count = reader.number(), count <= bytes.count else { return nil }
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
    return reader.isAtEnd
      ? CommitContent(features: features, changes: [UInt8](changes), segments: segments) : nil
  }
}
