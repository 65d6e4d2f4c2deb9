#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
  import Darwin
#endif

/// Data protection classes, where the system has them.
enum FileProtection {
  static func apply(_ level: SQLiteWorkspace.FileProtectionLevel, to path: String) {
    #if (os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)) && !targetEnvironment(simulator)
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      // F_SETPROTECTIONCLASS of <sys/fcntl.h>; only done to a file that was just made, on which nobody has locks.
      _ = fcntl(descriptor, F_SETPROTECTIONCLASS, level.rawValue)
      close(descriptor)
    #endif
  }
}
