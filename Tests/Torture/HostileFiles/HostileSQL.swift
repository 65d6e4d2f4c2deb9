import TestSupport

/// SQL that another program or an attacker might run on a file. Scripts are separated by `;;`.
enum HostileSQL {
  private static let tables = [
    "dictionary", "dflat_log", "dflat_replaced", "dflat_entity", "dflat_index", "dflat_schema", "club__member",
  ]
  private static let columns = [
    "dictionary": ["namespace", "key", "type", "value", "version", "commit_number"],
    "dflat_log": ["commit_number", "writer", "changes"],
    "dflat_replaced": [
      "commit_number", "position", "namespace", "key", "type", "version", "bytes", "time", "priority", "value",
    ],
    "dflat_entity": ["name", "last_rowid"],
    "dflat_index": ["table_name", "path", "definition", "filled_to", "last", "checked"],
    "dflat_schema": ["table_name", "digest", "schema"],
    "club__member": ["rowid", "__pk0", "payload"],
    "club__member__f10": ["rowid", "f10"],
  ]

  static func schema(using random: inout SeededGenerator) -> String {
    let table = tables.randomElement(using: &random)!
    let other = tables.randomElement(using: &random)!
    let column = columns[table]!.randomElement(using: &random)!
    let endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t)"
    return [
      "ALTER TABLE \(table) RENAME TO kept;; CREATE VIEW \(table) AS \(endless) SELECT x AS \(column) FROM t WHERE x < 0",
      "ALTER TABLE \(table) RENAME TO kept;; CREATE VIEW \(table) AS SELECT * FROM kept",
      "DROP TABLE \(table);; CREATE VIRTUAL TABLE \(table) USING fts5(\(columns[table]!.filter { $0 != "rowid" }.joined(separator: ", ")))",
      "CREATE TRIGGER evil AFTER INSERT ON \(table) BEGIN DELETE FROM \(other); END",
      "CREATE TRIGGER evil BEFORE UPDATE ON \(table) BEGIN \(endless) SELECT count(*) FROM t; END".replacing(
        "\(endless) ", with: ""),
      "CREATE INDEX evil ON \(table) (hex(zeroblob(1000)), \(column))",
      "CREATE INDEX evil ON \(table) (\(column)) WHERE \(column) IS NOT NULL",
      "CREATE UNIQUE INDEX evil ON \(table) (\(column))",
      "ALTER TABLE \(table) ADD COLUMN evil AS (hex(zeroblob(100000)))",
      "ALTER TABLE \(table) ADD COLUMN evil",
      "ALTER TABLE \(table) RENAME COLUMN \(column) TO evil",
      "ALTER TABLE \(table) DROP COLUMN \(column)",
      "ALTER TABLE \(table) RENAME TO evil",
      "DROP TABLE \(table)",
      "DROP TABLE \(table);; ALTER TABLE \(other) RENAME TO \(table)",
      "CREATE TABLE other (a CHECK (a > 0), b AS (a + 1));; CREATE VIEW looking AS SELECT * FROM \(table)",
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = '\(table)'",
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = '\(other)') WHERE name = '\(table)'",
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = \(Int.random(in: 0...2_000, using: &random)) WHERE name = '\(table)'",
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET name = 'evil' WHERE name = '\(table)'",
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET type = 'view' WHERE name = '\(table)'",
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE \(table) (a)' WHERE name = '\(table)'",
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE type = 'index'",
      "PRAGMA application_id = \(Int.random(in: 0...9, using: &random))",
      "PRAGMA user_version = \(Int.random(in: -2...9, using: &random))",
    ].randomElement(using: &random)!
  }

  static func row(using random: inout SeededGenerator) -> String {
    let table = columns.keys.sorted().randomElement(using: &random)!
    let column = columns[table]!.randomElement(using: &random)!
    let place = Int.random(in: 0..<30, using: &random)
    let value = value(using: &random)
    let isKeyed = ["dictionary", "dflat_replaced", "dflat_entity", "dflat_index", "dflat_schema"].contains(table)
    let key = columns[table]![["dictionary", "dflat_replaced", "dflat_index"].contains(table) ? 1 : 0]
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return "DELETE FROM \(table)"
    case 1: return "UPDATE OR REPLACE \(table) SET \(column) = \(value)"
    case 2 where !isKeyed: return "DELETE FROM \(table) WHERE rowid = \(place)"
    case 3:
      let values = columns[table]!.map { _ in self.value(using: &random) }.joined(separator: ", ")
      return "INSERT OR REPLACE INTO \(table) (\(columns[table]!.joined(separator: ", "))) VALUES (\(values))"
    default:
      return """
        UPDATE OR REPLACE \(table) SET \(column) = \(value) \
        WHERE \(key) = (SELECT \(key) FROM \(table) LIMIT 1 OFFSET \(place))
        """
    }
  }

  /// Adds a commit with a record that makes no sense, or edits existing records.
  static func changeLog(using random: inout SeededGenerator) -> String {
    var bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    // Often starts with the beginning of a plausible record.
    if Bool.random(using: &random) {
      bytes = [UInt8.random(in: 1...2, using: &random), UInt8(bytes.count)] + bytes
      if bytes.count > 2 { bytes[2] = UInt8.random(in: 1...6, using: &random) }
    }
    let blob = "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "UPDATE dflat_log SET changes = \(blob)"
    case 1: return "DELETE FROM dflat_log WHERE commit_number < (SELECT max(commit_number) FROM dflat_log)"
    case 2:
      return "INSERT OR REPLACE INTO dflat_log VALUES (\(value(using: &random)), \(value(using: &random)), \(blob))"
    default: return "INSERT INTO dflat_log SELECT max(commit_number) + 1, 7, \(blob) FROM dflat_log"
    }
  }

  private static func value(using random: inout SeededGenerator) -> String {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: "\(Int64.max)"
    case 1: "(-9223372036854775807 - 1)"
    case 2: "\(Int.random(in: -3...12, using: &random))"
    case 3: "\(1 << Int.random(in: 0..<63, using: &random))"
    case 4: "1e308"
    case 5: "'text'"
    case 6: "CAST(x'ff80c0' AS TEXT)"
    case 7: "zeroblob(\(Int.random(in: 0..<5_000, using: &random)))"
    case 8: "randomblob(\(Int.random(in: 0..<200, using: &random)))".replacing("randomblob", with: "zeroblob")
    default: "CAST(x'6100620062706c69737430305f10ffffffff' AS BLOB)"
    }
  }
}
