package import Logging

extension WorkspaceError {
  /// The metadata of a log entry about the error, whose text names the cause at most by what it means.
  ///
  /// ``SQLiteWorkspace/Options/logger`` documents the keys. They don't change, because log handlers filter by them.
  package var logMetadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["code": "\(code)"]
    if let causeDescription { metadata["cause"] = "\(causeDescription)" }
    return metadata
  }
}
