import CFaultVFS
import Foundation
import TestSupport

/// A file system of 24 megabytes that only this process sees. It disappears with the process.
struct SmallDisk {
  let path: String

  /// Returns nil if mounting isn't permitted.
  init?(at path: String) {
    self.path = path
    guard (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)) != nil,
      testsupport_mount_disk(path, 24 << 20) == 0
    else { return nil }
  }

  /// Runs `body` while the disk with the folder has only `pages` free pages of 4,096 bytes.
  static func filled<R>(_ folder: TemporaryDirectory, leaving pages: Int, _ body: () -> R) throws -> R {
    let filler = open(folder.file("filler"), O_WRONLY | O_CREAT, 0o600)
    defer {
      close(filler)
      unlink(folder.file("filler"))
    }
    let bytes = [UInt8](repeating: 0, count: 65_536)
    var size = 0
    while case let count = write(filler, bytes, bytes.count), count > 0 { size += count }
    ftruncate(filler, max(0, size - pages * 4_096))
    return body()
  }
}
