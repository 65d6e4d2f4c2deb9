extension WorkspaceCore {
  /// Begins the span of an operation, if the workspace is traced.
  package func beginSpan(_ kind: TracedOperation.Kind) -> (any WorkspaceSpan)? {
    options.tracer?.beginSpan(TracedOperation(kind: kind, filePath: path))
  }

  /// Runs an operation on this thread, in a span if the workspace is traced.
  package func traced<T>(
    _ kind: TracedOperation.Kind, _ body: ((any WorkspaceSpan)?) throws -> T
  ) rethrows -> T {
    guard let span = beginSpan(kind) else { return try body(nil) }
    do {
      let value = try body(span)
      span.end(throwing: nil)
      return value
    } catch {
      span.end(throwing: error)
      throw error
    }
  }

  /// Runs an operation of this task, in a span if the workspace is traced.
  package func traced<T: Sendable>(
    _ kind: TracedOperation.Kind, _ body: ((any WorkspaceSpan)?) async throws -> T
  ) async rethrows -> T {
    guard let span = beginSpan(kind) else { return try await body(nil) }
    do {
      let value = try await body(span)
      span.end(throwing: nil)
      return value
    } catch {
      span.end(throwing: error)
      throw error
    }
  }
}
