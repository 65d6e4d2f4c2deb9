import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The commands that were typed before, in a file that only the user can read.
///
/// The file has a line for each command, in which `\n` stands for the end of a line and `\\` for a backslash. Several
/// shells can append to it at the same time.
struct LineHistory {
  /// The number of commands that are read from the file, and that stay in it when it is shortened.
  static let maximumCount = 1000
  /// The size from which the file is shortened, in bytes.
  private static let maximumSize = 1 << 20

  private let path: String?

  /// - Parameter environment: `KVTOOL_HISTORY` names the file; an empty one turns the history off. Else the file is
  ///   `kvtool/history` in the user's state folder.
  init(environment: [String: String]) {
    if let path = environment["KVTOOL_HISTORY"] {
      self.path = path.isEmpty ? nil : path
    } else if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      path = folder + "/kvtool/history"
    } else {
      path = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 + "/.local/state/kvtool/history" }
    }
  }

  /// Returns the newest commands, oldest first. Shortens a file that has become large.
  func load() -> [String] {
    guard let path, let descriptor = Self.openFile(path, O_RDONLY) else { return [] }
    defer { close(descriptor) }
    guard let bytes = try? InputFile.readAll(descriptor, name: path) else { return [] }
    let lines = bytes.split(separator: UInt8(ascii: "\n")).suffix(Self.maximumCount)
    if bytes.count > Self.maximumSize {
      shorten(to: Array(lines.map { Array($0) + [UInt8(ascii: "\n")] }.joined()), path)
    }
    return lines.compactMap { line in String(validating: line, as: UTF8.self).map(Self.unescaped) }
  }

  /// Appends a command. A command that begins with a space isn't kept, as in other shells. Without a place for the file,
  /// the command is lost.
  func append(_ command: String) {
    guard let path, !command.isEmpty, !command.hasPrefix(" ") else { return }
    try? DatabaseLocation.createFolder(ofFile: path)
    guard let descriptor = Self.openFile(path, O_WRONLY | O_APPEND | O_CREAT) else { return }
    defer { close(descriptor) }
    // The file may have been created by the user.
    fchmod(descriptor, 0o600)
    // One write, so that lines of several shells don't mix.
    let line = Array((Self.escaped(command) + "\n").utf8)
    _ = line.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
  }

  /// Opens the file unless it is a link, a pipe or a device.
  private static func openFile(_ path: String, _ flags: Int32) -> Int32? {
    let descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Replaces the file. If that fails, it stays as it is.
  private func shorten(to bytes: [UInt8], _ path: String) {
    let temporary = "\(path).\(getpid())"
    guard let descriptor = Self.openFile(temporary, O_WRONLY | O_CREAT | O_EXCL) else { return }
    let written = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    let isReplaced = written == bytes.count && rename(temporary, path) == 0
    if !isReplaced { unlink(temporary) }
  }

  static func escaped(_ command: String) -> String {
    command.replacingScalars { $0 == "\\" ? "\\\\" : $0 == "\n" ? "\\n" : nil }
  }

  static func unescaped(_ line: String) -> String {
    var command = ""
    var scalars = line.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      guard scalar == "\\", let next = scalars.next() else {
        command.unicodeScalars.append(scalar)
        continue
      }
      command.unicodeScalars.append(next == "n" ? "\n" : next)
    }
    return command
  }
}
