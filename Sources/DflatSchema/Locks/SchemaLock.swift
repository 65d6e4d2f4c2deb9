import DflatSupport

/// The contents of a lock, `post.fbs.lock` beside `post.fbs`: the schema that later versions of the file have to be
/// able to replace.
///
///     // Schema lock of dflatc, format 1
///     // …
///     namespace Blog;
///     table Post {
///       title: string (id: 0, primary);
///     }
///     root_type Post;
///     // End of the lock
///
/// The first line identifies a lock and its format, and the last line marks its end, which a truncated lock lacks. The
/// canonical text of the file (`SchemaText`) is between them: a schema that needs no includes, and that lacks what has
/// no effect on data, such as names in Swift.
package enum SchemaLock {
  /// The maximum size of a lock in bytes, which bounds the time and the memory for reading one.
  package static let maximumSize = 1 << 22

  private static let format = 1
  private static let firstLine = "// Schema lock of dflatc, format "
  private static let comment = [
    "// The schema beside this file has to be able to replace the following one. Don't edit this file:",
    "// 'swift package --allow-writing-to-package-directory dflatc --accept' or 'dflatc --accept' writes it.",
  ]
  private static let lastLine = "// End of the lock"

  /// Returns the lock of a file, by its index in `Schema.files`.
  ///
  /// - Throws: An error if the lock would exceed `maximumSize`, or if one of its types can't be named in one file.
  package static func text(of file: Int, in schema: Schema) throws(SchemaErrors) -> String {
    let text = try SchemaText.of(file: file, in: schema)
    let lines = [firstLine + String(format)] + comment + (text.isEmpty ? [] : [text]) + [lastLine]
    let lock = lines.joined(separator: "\n") + "\n"
    guard lock.utf8.count <= maximumSize else {
      throw SchemaErrors([
        Diagnostic(
          SourceLocation(file: schema.files[file].path, line: 1, column: 1),
          "the lock of this schema would have more than \(maximumSize) bytes",
          advice: "move types that it doesn't use into another schema")
      ])
    }
    return lock
  }

  /// Returns true if a file begins like a lock, of any format.
  package static func isLock(_ bytes: [UInt8]) -> Bool {
    bytes.drop(while: \.isLineEnd).starts(with: firstLine.utf8)
  }

  /// Returns the schema of a lock. Line ends may be those of any system, because git may have converted them.
  ///
  /// - Parameter path: The path of the lock, for errors.
  /// - Throws: The first error in the lock.
  package static func schema(of bytes: [UInt8], at path: String) throws(SchemaErrors) -> Schema {
    let path = SchemaPath.normalized(path)
    guard bytes.count <= maximumSize else { throw unreadable(path, "it has more than \(maximumSize) bytes") }
    // Check the first and the last line that aren't empty.
    try checkFormat(of: bytes.drop(while: \.isLineEnd).prefix { !$0.isLineEnd }, at: path)
    let end = bytes.lastIndex { !$0.isLineEnd } ?? 0
    let last = bytes[...end].lastIndex(where: \.isLineEnd).map { $0 + 1 } ?? 0
    guard bytes[last...end].elementsEqual(lastLine.utf8) else {
      throw unreadable(path, "its end is missing", at: bytes.count, of: bytes)
    }
    if let position = bytes.withUnsafeBytes({ UTF8Check.firstInvalid(in: $0) }) {
      throw unreadable(path, "this is not UTF-8", at: position, of: bytes)
    }
    do throws(SchemaErrors) {
      return try SchemaText.schema(of: bytes, at: path)
    } catch {
      // Nobody is to correct the lock by hand, so one error is enough.
      let cause = error.diagnostics[0]
      throw unreadable(cause.location, cause.message)
    }
  }

  /// Returns true if the bytes are those of a lock's text, apart from line ends.
  package static func isSame(_ bytes: [UInt8], as text: String) -> Bool {
    bytes.split(whereSeparator: \.isLineEnd).elementsEqual(Array(text.utf8).split(whereSeparator: \.isLineEnd))
  }

  /// Checks the first line of a lock.
  private static func checkFormat(of line: ArraySlice<UInt8>, at path: String) throws(SchemaErrors) {
    let digits = line.dropFirst(firstLine.utf8.count)
    guard line.starts(with: firstLine.utf8), (1...9).contains(digits.count), digits.allSatisfy(\.isASCIIDigit),
      let number = Int(String(decoding: digits, as: UTF8.self)), number > 0
    else { throw unreadable(path, "it doesn't begin like a lock") }
    guard number <= format else {
      throw SchemaErrors([
        Diagnostic(
          SourceLocation(file: path, line: 1, column: 1),
          "this lock has the format \(number), and this dflatc reads formats up to \(format)",
          advice: "use the version of dflatc that wrote it, or a newer one")
      ])
    }
  }

  // MARK: Errors

  /// Returns the error of a lock that can't be read.
  package static func unreadable(_ path: String, _ reason: String) -> SchemaErrors {
    unreadable(SourceLocation(file: path, line: 1, column: 1), reason)
  }

  private static func unreadable(
    _ path: String, _ reason: String, at position: Int, of bytes: [UInt8]
  ) -> SchemaErrors {
    unreadable(SourceText(path: path, bytes: bytes).location(at: position), reason)
  }

  private static func unreadable(_ location: SourceLocation, _ reason: String) -> SchemaErrors {
    SchemaErrors([
      Diagnostic(
        location, "this lock can't be read: \(reason)",
        advice: "restore it from version control, or delete it and accept the schema again")
    ])
  }
}
