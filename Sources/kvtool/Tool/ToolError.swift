import DflatKV

/// An error with its exit status and the one-line message that the user sees.
struct ToolError: Error, Equatable {
  let status: ToolExitStatus
  let message: String

  init(_ status: ToolExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  static func keysAbsent(_ keys: [String], in namespace: String, hint: String = "") -> ToolError {
    let names = keys.map(quoted).joined(separator: ", ")
    let place = namespace.isEmpty ? "" : " in namespace \(quoted(namespace))"
    let noun = keys.count == 1 ? "no such key" : "no such keys"
    return ToolError(.keyAbsent, "\(noun)\(place): \(names)\(hint)")
  }
}

/// Signals that the reader of standard output has closed it. The command ends without an error.
struct OutputClosed: Error {}

extension ToolError {
  init(_ error: WorkspaceError) {
    var message = Self.sealMessage(error) ?? error.message
    switch error.code {
    case .corrupt:
      message = message.replacing(
        "restore a backup.", with: "restore a backup, or copy what can be read with 'kvtool recover'.")
    case .notADatabase:
      message = message.replacing(
        "choose another path",
        with: "choose another path, or if it was one, copy what can be read with 'kvtool recover'")
    case .busy: message = message.replacing("raise the busy timeout", with: "wait longer with --timeout")
    case _: break
    }
    // The program is this one.
    message = message.replacing("update the program", with: "update kvtool")
    // A short path or key may be a part of any word. The library's messages have both in single quotes, a path also with
    // the ending of a file beside it.
    if let path = error.path, !message.contains("'\(path)'"), !message.contains("'\(path)-") {
      message += " (\(path))"
    }
    if let key = error.key, !message.contains("'\(key)'"), !message.contains(quoted(key)) {
      message += " (key \(quoted(key)))"
    }
    self.init(ToolExitStatus(error.code), message)
  }
}

extension ToolError {
  /// Returns the message for an error of sealed values, whose own message is about the API.
  private static func sealMessage(_ error: WorkspaceError) -> String? {
    let place = error.key.map { "key \(quoted($0))" } ?? "a value"
    switch error.code {
    case .sealed: return "\(place) is sealed: give its key with --seal-key-fd or \(ToolSealKey.variable)"
    case .notSealed:
      return "\(place) isn't sealed: seal its namespace with 'kvtool seal', or leave out the seal key"
    case .wrongSealKey: return "\(place), or its namespace, is sealed with another key: give that key"
    default: return nil
    }
  }
}

extension ValueFailure {
  /// Returns the error to report to the user, which names the key.
  func toolError(key: String) -> ToolError {
    ToolError(isOfUnknownField ? .usage : .otherError, "key \(quoted(key)): \(message)")
  }

  /// Runs a part of a command about a key, and names the key in its failure.
  static func naming<Result>(_ key: String, _ body: () throws(ValueFailure) -> Result) throws(ToolError) -> Result {
    do { return try body() } catch { throw error.toolError(key: key) }
  }
}
