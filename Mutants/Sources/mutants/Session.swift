import Foundation
import Glibc

/// A process in its own session, so that it can be killed together with all processes it started.
struct Session {
  let process: pid_t

  /// Starts a program in a folder, and redirects its output to a file.
  init(_ program: String, _ arguments: [String], in folder: String, environment: [String: String], output: String)
    throws
  {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)

    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // env and setsid replace themselves by the next program, so the process keeps its ID.
    let argv = (["env", "-C", folder, "setsid", program] + arguments).map { strdup($0) } + [nil]
    let envp = all.map { strdup("\($0)=\($1)") } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var started: pid_t = 0
    let status = posix_spawn(&started, "/usr/bin/env", &actions, nil, argv, envp)
    guard status == 0 else {
      throw Failure(description: "\(program) doesn't start: \(String(cString: strerror(status)))")
    }
    process = started
  }

  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// Returns the process's exit, or nil while it runs.
  func poll() -> End? {
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) == process else { return nil }
    return status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
  }

  /// Kills all running processes of the session. A process that has ended stays a zombie until it is waited for.
  func kill() {
    for _ in 0..<20 {
      let members = Self.members(of: process)
      if members.isEmpty { return }
      for member in members { _ = Glibc.kill(member, SIGKILL) }
      usleep(5_000)
    }
  }

  func killAndWait() {
    kill()
    _ = Glibc.kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    kill()
  }

  private static func members(of session: pid_t) -> [pid_t] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { name in
      guard let process = pid_t(name), let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        let end = stat.lastIndex(of: ")")
      else { return nil }
      // The fields after the name in parentheses: state, parent, process group, session.
      let fields = stat[stat.index(after: end)...].split(separator: " ")
      return fields.count > 3 && fields[0] != "Z" && pid_t(fields[3]) == session ? process : nil
    }
  }
}
