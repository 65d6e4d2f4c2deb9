import DflatSupport

/// The descriptors of standard input, output and error.
enum StandardDescriptors {
  /// Occupies those that the caller has closed. Otherwise the next file to be opened, such as the database's side file,
  /// would take the place of standard output. Reading from and writing to them still fails.
  static func occupyClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The system assigns the lowest free descriptor, which is this one.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
