#if Tracing
  public import DflatKV
  public import Tracing

  /// Traces a workspace with swift-distributed-tracing.
  ///
  ///     var options = SQLiteWorkspace.Options()
  ///     options.tracer = DistributedTracer()
  ///     let workspace = try SQLiteWorkspace.open(filePath: "app.db", options: options)
  ///
  /// Each transaction has a span, from its call until its caller is notified, and so has each `synchronize()` and `flush()`.
  /// The parent is the span of the caller's task. Spans that a transaction's closure begins are the transaction's children.
  ///
  /// | | |
  /// |---|---|
  /// | name | `dflatkv.transaction`, `dflatkv.synchronize` |
  /// | event `closure` | the transaction's closure begins; again after each conflict |
  /// | attribute `db.system.name` | `dflatkv` |
  /// | attribute `db.namespace` | the path of the file |
  /// | attribute `error.type` | the code of a ``/DflatCore/WorkspaceError``, or the type of another error |
  ///
  /// A span whose operation throws has the error and the status `error`.
  public struct DistributedTracer: WorkspaceTracer {
    private let tracer: (any Tracer)?

    /// Creates a tracer.
    ///
    /// - Parameter tracer: The tracer that makes the spans; nil for the one that the program has bootstrapped when a span
    ///   begins.
    public init(_ tracer: (any Tracer)? = nil) { self.tracer = tracer }

    /// Begins a span. The workspace calls it.
    public func beginSpan(_ operation: TracedOperation) -> any WorkspaceSpan {
      let name =
        switch operation.kind {
        case .transaction: "dflatkv.transaction"
        case .synchronize: "dflatkv.synchronize"
        }
      let span = (tracer ?? InstrumentationSystem.tracer).startAnySpan(name, ofKind: .client)
      span.attributes["db.system.name"] = "dflatkv"
      span.attributes["db.namespace"] = operation.filePath
      return OperationSpan(span: span)
    }
  }

  private struct OperationSpan: WorkspaceSpan {
    let span: any Tracing.Span

    func within(_ body: () throws -> Void) rethrows {
      span.addEvent("closure")
      try ServiceContext.withValue(span.context, operation: body)
    }

    func end(throwing error: (any Error)?) {
      if let error {
        span.attributes["error.type"] = (error as? WorkspaceError).map { "\($0.code)" } ?? "\(type(of: error))"
        span.recordError(error)
        span.setStatus(SpanStatus(code: .error))
      }
      span.end()
    }
  }
#endif
