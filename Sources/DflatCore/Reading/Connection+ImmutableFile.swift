package import DflatSQLite

extension Connection {
  /// Throws if the file of an immutable connection was written before this call: what was read may be of several
  /// commits. Call it when everything is read, and before anything of it is used.
  ///
  /// - Throws: ``WorkspaceError`` with code `.conflict`.
  @usableFromInline
  package func requireUnchangedFile() throws {
    guard hasChangedFile else { return }
    throw WorkspaceError(
      .conflict, "'\(path)' was written while it was read without a write-ahead log; read it again.", path: path)
  }

  /// Returns the cause of an error of reading: the conflict if the file of an immutable connection was written before
  /// this call, because a mixture of several commits may look damaged.
  package func cause(ofFailure error: any Error) -> any Error {
    do { try requireUnchangedFile() } catch { return error }
    return error
  }
}
