import Foundation
import Synchronization

/// A running etcd server. It ends with this process, however that ends.
public final class EtcdMember: Sendable {
  private struct Running {
    let shell: Process
    let pid: pid_t
    /// The server ends when this is closed.
    let lifeline: FileHandle
  }

  private let arguments: [String]
  private let log: URL
  private let running = Mutex<Running?>(nil)

  /// The URL for clients.
  public let endpoint: String

  init(_ arguments: [String], endpoint: String, log: URL) {
    self.arguments = arguments
    self.endpoint = endpoint
    self.log = log
  }

  deinit { kill() }

  /// Starts the server. Returns before it answers.
  public func start() throws {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    // `cat` ends when the pipe is closed, which the kernel does if this process is killed.
    let script = #"log=$1; shift; etcd "$@" >>"$log" 2>&1 </dev/null & echo $!; cat >/dev/null; kill -9 $!"#
    shell.arguments = ["-c", script, "sh", log.path()] + arguments
    let input = Pipe()
    let output = Pipe()
    shell.standardInput = input
    shell.standardOutput = output
    try shell.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let pid = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw ClusterError("etcd doesn't start: run make deps-etcd")
    }
    running.withLock { $0 = Running(shell: shell, pid: pid, lifeline: input.fileHandleForWriting) }
  }

  /// Ends the server at once, as a crash would. It keeps its data.
  public func kill() {
    guard let server = running.withLock({ $0.take() }) else { return }
    _ = Foundation.kill(server.pid, SIGKILL)
    try? server.lifeline.close()
    server.shell.waitUntilExit()
  }

  /// Stops the server without ending it: its connections stay open, and nothing answers.
  public func freeze() { signal(SIGSTOP) }

  /// Lets a frozen server go on.
  public func thaw() { signal(SIGCONT) }

  private func signal(_ number: Int32) {
    running.withLock { if let pid = $0?.pid { _ = Foundation.kill(pid, number) } }
  }
}
