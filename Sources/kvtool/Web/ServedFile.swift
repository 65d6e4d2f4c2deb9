#if Web
  import DflatCore
  import DflatKV
  import DflatSupport
  import Dispatch
  import Synchronization

  /// The open file that the page shows. If another file has taken its path, this one is opened, as by each new command.
  final class ServedFile: Sendable {
    /// An open file, and what belongs to it.
    final class Opening: Sendable {
      let database: OpenDatabase
      private let identity: Identity?
      private let path: String
      private let sampler = Mutex<TopSampler?>(nil)

      fileprivate init(_ database: OpenDatabase, _ identity: Identity?, path: String) {
        self.database = database
        self.identity = identity
        self.path = path
      }

      fileprivate var isCurrent: Bool { identity == Identity(path) }

      /// Returns the activity since the last call.
      func activity() throws -> TopSample {
        try sampler.withLock { sampler in
          let current = try sampler ?? TopSampler(database.workspace, path: path)
          sampler = current
          return try current.sample()
        }
      }
    }

    /// The file that a path names.
    fileprivate struct Identity: Equatable {
      let device: UInt64
      let inode: UInt64

      /// Nil if there is no file.
      init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
      }
    }

    let path: String
    private let open: @Sendable () throws -> OpenDatabase
    private let opening: Mutex<Opening?>

    /// Opens the file.
    ///
    /// - Throws: The errors of `open`.
    init(path: String, open: @escaping @Sendable () throws -> OpenDatabase) throws {
      self.path = path
      self.open = open
      let identity = Identity(path)
      opening = Mutex(Opening(try open(), identity, path: path))
    }

    /// Returns the file, as all commits until the call have left it. It is opened again if the path names another one.
    ///
    /// - Throws: The errors of opening and reading the file.
    func current() throws -> Opening {
      let current = try openCurrent()
      // The page asks for a value right after it has set it.
      try current.database.workspace.core.checkForCommits()
      return current
    }

    private func openCurrent() throws -> Opening {
      try opening.withLock { opening in
        if let opening, opening.isCurrent { return opening }
        if let old = opening?.database.workspace {
          // Waits for callbacks, which may wait for this call.
          DispatchQueue.global().async { old.shutdown() }
        }
        opening = nil
        let identity = Identity(path)
        let new = Opening(try open(), identity, path: path)
        opening = new
        return new
      }
    }
  }
#endif
