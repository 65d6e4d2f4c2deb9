import DflatKV
import Testing

/// An error of a closure.
struct Refusal: Error, Equatable {}

/// Returns the code of the error that `body` throws.
func errorCode(
  _ sourceLocation: SourceLocation = #_sourceLocation, of body: () throws -> Void
) throws -> WorkspaceError.Code {
  try #require(throws: WorkspaceError.self, sourceLocation: sourceLocation, performing: body).code
}
