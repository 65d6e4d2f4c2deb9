import DflatBuffers
import DflatCore

/// The limits for decoding a stored value, and the workspace whose schemas it is compared with.
struct DecodingContext: Sendable {
  let limits: FlatBufferLimits
  /// Nil outside of a workspace: then the program's schemas aren't compared with a file's.
  private let workspace: (core: WorkspaceCore, schemas: ValueSchemas)?
  /// True for a value that an observer gets: it is committed, whatever this thread's transaction or snapshot shows.
  private let isDelivered: Bool

  /// Creates a context outside of a workspace.
  init(limits: FlatBufferLimits) {
    self.limits = limits
    workspace = nil
    isDelivered = false
  }

  /// Creates the context of this thread's reads in a workspace, or of the values that its observers get.
  init(_ core: WorkspaceCore, _ schemas: ValueSchemas, isDelivered: Bool) {
    limits = core.options.flatBufferLimits
    workspace = (core, schemas)
    self.isDelivered = isDelivered
  }

  /// Throws unless the program's schema of a type fits the one that the file has for the values of the type. Called
  /// with a value that is in the file, or was when it was delivered, before its bytes are decoded.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with the codes of `SchemaList.requireCompatibility(of:on:)`, or the error
  ///   of reading the file.
  func requireCompatibility<T: FlatBuffersCodable>(of type: T.Type) throws {
    // In a forked child, a thread that exists only in the parent may hold a lock.
    guard let (core, schemas) = workspace, T.flatBuffersSchema != nil, ForkGuard.isOriginal else { return }
    if isDelivered || ThreadContext.isNone { return try schemas.requirePublishedCompatibility(of: type, in: core) }
    try schemas.requireCompatibility(of: type, in: core)
  }
}
