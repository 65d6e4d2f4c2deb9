#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
  import Darwin
#endif

/// Data protection classes, on systems that have data protection.
enum FileProtection {
  /// Sets the data protection class of a new file.
  static func apply(class protectionClass: Int32, to path: String) {
    #if (os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)) && !targetEnvironment(simulator)
      let descriptor = open(path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      // F_SETPROTECTIONCLASS of <sys/fcntl.h>. Closing the file drops no locks because the file is new.
      _ = fcntl(descriptor, F_SETPROTECTIONCLASS, protectionClass)
      close(descriptor)
    #endif
  }
}
