import DflatSupport

/// Identifies a file regardless of its path, by a hash of device, inode and time of birth. A copy has another number,
/// and so does a file that replaces a deleted one.
///
/// The number is the same in all workspaces of all processes. It doesn't change if another file's bytes are copied over
/// the file.
package enum FileIdentity {
  /// Returns the number of the file at a path, or 0 if there is none.
  package static func of(_ path: String) -> UInt64 {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let birth = birth(path, status)
    for word in [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino), birth.seconds, birth.nanoseconds] {
      // The finalizer of SplitMix64: every bit of the input affects every bit of the result.
      hash = (hash ^ word) &+ 0x9e37_79b9_7f4a_7c15
      hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
      hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
      hash ^= hash >> 31
    }
    return hash == 0 ? 1 : hash
  }

  #if canImport(Darwin)
    private static func birth(_ path: String, _ status: stat) -> (seconds: UInt64, nanoseconds: UInt64) {
      let time = status.st_birthtimespec
      return (UInt64(truncatingIfNeeded: time.tv_sec), UInt64(truncatingIfNeeded: time.tv_nsec))
    }
  #elseif os(Linux)
    private typealias Statx =
      @convention(c) (
        Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer
      ) -> Int32

    /// The `statx` function, which the modules of the C libraries don't declare.
    private static let statx = dlsym(nil, "statx").map { unsafeBitCast($0, to: Statx.self) }

    /// The offsets in `struct statx`, which is part of Linux's ABI:
    /// <https://man7.org/linux/man-pages/man2/statx.2.html>.
    private enum Offset { static let mask = 0, seconds = 80, nanoseconds = 88, size = 256 }
    private static let birthTime: UInt32 = 0x800

    /// Returns the time of birth, or zeros if the system doesn't know it.
    private static func birth(_ path: String, _ status: stat) -> (seconds: UInt64, nanoseconds: UInt64) {
      guard let statx else { return (0, 0) }
      return withUnsafeTemporaryAllocation(byteCount: Offset.size, alignment: 8) { buffer in
        guard let base = buffer.baseAddress, statx(AT_FDCWD, path, 0, birthTime, base) == 0,
          buffer.load(fromByteOffset: Offset.mask, as: UInt32.self) & birthTime != 0
        else { return (0, 0) }
        return (
          buffer.load(fromByteOffset: Offset.seconds, as: UInt64.self),
          UInt64(buffer.load(fromByteOffset: Offset.nanoseconds, as: UInt32.self))
        )
      }
    }
  #else
    private static func birth(_ path: String, _ status: stat) -> (seconds: UInt64, nanoseconds: UInt64) { (0, 0) }
  #endif
}
