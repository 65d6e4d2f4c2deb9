import GRDB

/// A document with its fields in columns.
struct DocumentRecord: FetchableRecord, PersistableRecord, Equatable, Sendable {
  static let databaseTableName = "document"

  var title: String
  var color: Int8
  var tag: String?
  var priority: Int32
  var x: Float
  var y: Float
  var z: Float
  var text: String?
  /// The image names, one per line.
  var images: String?

  init(_ draft: DocumentDraft) {
    title = draft.title
    color = draft.color.rawValue
    tag = draft.tag
    priority = draft.priority
    (x, y, z) = (draft.position.x, draft.position.y, draft.position.z)
    switch draft.content {
    case .textContent(let content): text = content.text
    case .imageContent(let content): images = content.images.joined(separator: "\n")
    }
  }

  init(row: GRDB.Row) {
    title = row[0]
    color = row[1]
    tag = row[2]
    priority = row[3]
    (x, y, z) = (row[4], row[5], row[6])
    text = row[7]
    images = row[8]
  }

  func encode(to container: inout PersistenceContainer) {
    container["title"] = title
    container["color"] = color
    container["tag"] = tag
    container["priority"] = priority
    container["x"] = x
    container["y"] = y
    container["z"] = z
    container["text"] = text
    container["images"] = images
  }
}

extension DocumentRecord {
  mutating func take(_ revision: DocumentRevision) {
    tag = revision.tag
    priority = revision.priority(priority)
    (x, y, z) = (revision.position.x, revision.position.y, revision.position.z)
  }
}

/// Stores documents as GRDB records, with the same SQLite library, in WAL mode with `synchronous=NORMAL`.
final class GRDBDocuments: Sendable {
  let pool: DatabasePool

  init(path: String, indexed: Bool = false) throws {
    pool = try DatabasePool(path: path)
    try pool.write { database in
      try database.execute(
        sql: """
          CREATE TABLE document (
            title TEXT PRIMARY KEY NOT NULL, color INTEGER NOT NULL, tag TEXT, priority INTEGER NOT NULL,
            x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL, text TEXT, images TEXT)
          """)
      if indexed { try database.execute(sql: "CREATE INDEX documentPriority ON document (priority)") }
    }
  }

  func fill(_ drafts: [DocumentDraft]) throws {
    try pool.write { database in
      for draft in drafts { try DocumentRecord(draft).insert(database) }
    }
  }

  func update(_ records: [DocumentRecord], _ revision: DocumentRevision) throws {
    try pool.write { database in
      for var record in records {
        record.take(revision)
        try record.update(database)
      }
    }
  }

  func all() throws -> [DocumentRecord] {
    try pool.read { try DocumentRecord.fetchAll($0) }
  }

  func close() { try? pool.close() }
}
