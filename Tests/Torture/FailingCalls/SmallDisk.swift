import CFaultVFS
import Foundation
import TestSupport

/// A file system of four megabytes that only this process sees; it goes with the process.
struct SmallDisk {
  let path: String

  /// Nil where mounting isn't permitted.
  init?(at path: String) {
    self.path = path
    guard (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)) != nil,
      testsupport_mount_disk(path, 4 << 20) == 0
    else { return nil }
  }

  /// Runs `body` while nothing is left on the disk that the folder is on.
  static func filled<R>(_ folder: TemporaryDirectory, _ body: () -> R) throws -> R {
    let filler = open(folder.file("filler"), O_WRONLY | O_CREAT, 0o600)
    defer {
      close(filler)
      unlink(folder.file("filler"))
    }
    let bytes = [UInt8](repeating: 0, count: 4_096)
    while write(filler, bytes, bytes.count) > 0 {}
    return body()
  }
}
