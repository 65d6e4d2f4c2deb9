#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells files apart, whatever path leads to them: a hash of device, inode and time of birth, which a copy does not share,
/// nor a file that is made in the place of a deleted one.
///
/// It is the same in all workspaces of all processes. Copying another file's bytes over a file keeps it.
enum FileNumber {
  /// 0 if there is no file.
  static func of(_ path: String) -> UInt64 {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let birth = birth(path, status)
    for word in [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino), birth.seconds, birth.nanoseconds] {
      // SplitMix64's finalizer: every bit of the words counts in every bit of the result.
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

    /// The C library's modules don't have it.
    private static let statx = dlsym(nil, "statx").map { unsafeBitCast($0, to: Statx.self) }

    /// The layout of `struct statx`, a part of Linux's ABI: <https://man7.org/linux/man-pages/man2/statx.2.html>.
    private enum Offset { static let mask = 0, seconds = 80, nanoseconds = 88, size = 256 }
    private static let birthTime: UInt32 = 0x800

    /// Zeros where the system does not know it.
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
