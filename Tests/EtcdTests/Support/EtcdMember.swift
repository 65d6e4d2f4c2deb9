import Foundation
import Synchronization

/// A running etcd server. It ends with this process, however that ends.
public final class EtcdMember: Sendable {
  private struct Running {
    /// A shell with the server.
    let process: ChildProcess
    /// The server ends when this descriptor is closed, which the kernel does if this process is killed.
    let lifeline: Int32
  }

  private let arguments: [String]
  private let log: URL
  private let running = Mutex<Running?>(nil)

  /// The URL for clients.
  public let endpoint: String
  /// The port of the URL.
  public let port: Int

  init(_ arguments: [String], endpoint: String, port: Int, log: URL) {
    self.arguments = arguments
    self.endpoint = endpoint
    self.port = port
    self.log = log
  }

  deinit { kill() }

  /// Starts the server. Returns before it answers.
  public func start() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw ClusterError("no pipe can be made") }
    // Other members' processes must not inherit the pipe. Between the two calls they can, and then end later.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let script = #"log=$1; shift; etcd "$@" >>"$log" 2>&1 </dev/null & cat; kill -9 $!"#
    let process = try ChildProcess(["sh", "-c", script, "sh", log.path()] + arguments, input: ends[0])
    running.withLock { $0 = Running(process: process, lifeline: ends[1]) }
  }

  /// Ends the server at once, as a crash would. It keeps its data.
  public func kill() {
    guard let server = running.withLock({ $0.take() }) else { return }
    server.process.signal(SIGKILL)
    _ = server.process.wait()
    close(server.lifeline)
  }

  /// Stops the server without ending it: its connections stay open, and nothing answers.
  public func freeze() { signal(SIGSTOP) }

  /// Lets a frozen server go on.
  public func thaw() { signal(SIGCONT) }

  private func signal(_ number: Int32) { running.withLock { $0?.process.signal(number) } }
}
