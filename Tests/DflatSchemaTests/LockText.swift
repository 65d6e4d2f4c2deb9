import DflatSchema

/// The text of a lock.
enum LockText {
  static let first = "// Schema lock of dflatc, format 1\n"
  static let last = "// End of the lock\n"

  /// Returns the only error in a lock.
  static func error(in bytes: [UInt8]) -> String {
    do throws(SchemaErrors) {
      _ = try SchemaLock.schema(of: bytes, at: "in/a.fbs.lock")
      return ""
    } catch {
      return error.description
    }
  }
}
