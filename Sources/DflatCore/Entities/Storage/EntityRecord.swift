/// The entities' part of a change-log row (docs/storage-format.md).
enum EntityRecord {
  static let kind: UInt8 = 2
}
