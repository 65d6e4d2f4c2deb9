import CFaultVFS

/// Records the operations of the fault-injecting VFS on the files of one folder, and builds the folder that a crash at
/// any point would have left.
package final class CrashRecorder: Sendable {
  /// The operations that survive the crash.
  package enum Image: Sendable {
    /// All operations: the process died.
    case all
    /// Only synced operations: the power failed.
    case synced
    /// Synced operations and an arbitrary part of the rest, chosen by the seed: the power failed.
    case subset(seed: UInt64)
    /// The same, sector by sector: writes are torn.
    case torn(seed: UInt64)
  }

  /// Thrown when recording cannot start or an image cannot be written.
  package struct Failure: Error {}

  private let id: UInt64

  /// Starts recording. The folder must exist, and no connection may be open in it.
  package init(folder: TemporaryDirectory) throws {
    id = faultvfs_recorder_start(folder.path)
    guard id != 0 else { throw Failure() }
  }

  deinit { faultvfs_recorder_stop(id) }

  /// The number of operations recorded so far. Every image of at least that many operations has to contain everything
  /// that was acknowledged before this was read.
  package var count: Int { faultvfs_recorder_count(id) }

  /// Writes the folder as a crash right after the first `count` operations leaves it.
  package func writeImage(after count: Int, _ image: Image, into folder: TemporaryDirectory) throws {
    let (mode, seed): (Int, UInt64) =
      switch image {
      case .all: (FAULTVFS_IMAGE_ALL, 0)
      case .synced: (FAULTVFS_IMAGE_SYNCED, 0)
      case .subset(let seed): (FAULTVFS_IMAGE_SUBSET, seed)
      case .torn(let seed): (FAULTVFS_IMAGE_TORN, seed)
      }
    guard faultvfs_recorder_write_image(id, count, Int32(mode), seed, folder.path) == 0 else { throw Failure() }
  }

  /// Returns a line that describes one recorded operation, counted from 1.
  package func describe(_ index: Int) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    faultvfs_recorder_describe(id, index, &buffer, Int32(buffer.count))
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
