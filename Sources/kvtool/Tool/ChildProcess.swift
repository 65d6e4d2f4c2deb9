import DflatSupport

/// Runs programs.
enum ChildProcess {
  enum Input {
    case inherited
    /// Nothing: the program must not read what the tool gets on standard input.
    case empty
    /// None: the program fails if it reads.
    case closed
  }

  /// Runs a program with the default handling of signals, and blocks until it ends. Returns its exit status, or 128 and
  /// the signal that has ended it; nil if arguments and environment exceed what the system passes to a program.
  ///
  /// - Parameter environment: The variables, as `NAME=VALUE`; nil for those of this process.
  /// - Throws: ``ToolError`` if the program can't be started or waited for.
  static func run(
    _ path: String, _ arguments: [String], environment: [String]? = nil, input: Input
  ) throws -> Int32? {
    var process: pid_t = 0
    let code = withCStrings(arguments) { arguments in
      withSpawnSettings(input) { attributes, actions in
        guard let environment else {
          return posix_spawn(&process, path, actions, attributes, arguments, environ)
        }
        return withCStrings(environment) { posix_spawn(&process, path, actions, attributes, arguments, $0) }
      }
    }
    if code == E2BIG { return nil }
    guard code == 0 else {
      throw ToolError(.otherError, "cannot run \(path): \(systemMessage(code))")
    }
    return try wait(for: process)
  }

  /// The path of this program, for a process of its own.
  static func ownPath() throws -> String {
    #if canImport(Darwin)
      var size: UInt32 = 0
      _NSGetExecutablePath(nil, &size)
      var path = [CChar](repeating: 0, count: Int(size))
      guard _NSGetExecutablePath(&path, &size) == 0 else {
        throw ToolError(.otherError, "cannot find kvtool's own file")
      }
      return String(cString: path)
    #else
      // The link's target gives processes their name. It is missing if the file was replaced meanwhile.
      let link = "/proc/self/exe"
      guard let target = realpath(link, nil) else { return link }
      defer { free(target) }
      return String(validatingCString: target) ?? link
    #endif
  }

  #if canImport(Darwin)
    private typealias Attributes = posix_spawnattr_t?
    private typealias FileActions = posix_spawn_file_actions_t?
  #else
    private typealias Attributes = posix_spawnattr_t
    private typealias FileActions = posix_spawn_file_actions_t
  #endif

  private static func withSpawnSettings(
    _ input: Input, _ body: (UnsafePointer<Attributes>, UnsafePointer<FileActions>) -> Int32
  ) -> Int32 {
    #if canImport(Darwin)
      var attributes: Attributes = nil
      var actions: FileActions = nil
    #else
      var attributes = Attributes()
      var actions = FileActions()
    #endif
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    // The tool handles or ignores these signals, and a child would inherit the ignored ones.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGINT, SIGTERM, SIGPIPE, SIGXFSZ] {
      sigaddset(&defaults, number)
    }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    // The workspace's threads block signals, and so would a child that one of them starts.
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    switch input {
    case .inherited: break
    case .empty: posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    case .closed: posix_spawn_file_actions_addclose(&actions, STDIN_FILENO)
    }
    return body(&attributes, &actions)
  }

  private static func wait(for process: pid_t) throws -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else {
        throw ToolError(.otherError, "cannot wait for a command: \(systemMessage())")
      }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
  ) rethrows -> Result {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    return try body(pointers)
  }
}
