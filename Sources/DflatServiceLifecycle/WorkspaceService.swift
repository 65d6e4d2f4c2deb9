#if ServiceLifecycle
  public import DflatKV
  public import ServiceLifecycle

  /// Runs a workspace as a service, and shuts it down with the others.
  ///
  ///     let workspace = try SQLiteWorkspace.open(filePath: "app.db")
  ///     let group = ServiceGroup(
  ///       services: [WorkspaceService(workspace), server], gracefulShutdownSignals: [.sigterm], logger: logger)
  ///     try await group.run()
  ///
  /// A service group shuts its services down in reverse order, so list the workspace before those that use it: it then closes
  /// when they have ended. The shutdown commits all accepted writes, and waits for observers and completion handlers. If the
  /// group cancels its tasks instead, because a service has failed, the workspace is shut down, too.
  public struct WorkspaceService: Service {
    private let workspace: SQLiteWorkspace
    private let flags: WorkspaceShutdownFlag

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - workspace: An open workspace. Don't shut it down elsewhere.
    ///   - flags: The state in which the shutdown leaves the file.
    public init(_ workspace: SQLiteWorkspace, flags: WorkspaceShutdownFlag = []) {
      self.workspace = workspace
      self.flags = flags
    }

    /// Waits until the group shuts down, or until the task is cancelled, and then shuts the workspace down.
    ///
    /// - Throws: `CancellationError` if the task was cancelled, after the shutdown.
    public func run() async throws {
      do { try await gracefulShutdown() } catch {
        await workspace.shutdown(flags: flags)
        throw error
      }
      await workspace.shutdown(flags: flags)
    }
  }

  extension WorkspaceService: CustomStringConvertible {
    /// The name in the logs of a service group.
    public var description: String { "DflatKV workspace" }
  }
#endif
