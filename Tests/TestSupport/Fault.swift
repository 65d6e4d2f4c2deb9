/// One way in which the disk fails.
package struct Fault: CustomStringConvertible, Sendable {
  package let operations: FaultOperations
  package let files: FaultFiles
  package let code: FaultCode
  let name: String

  package init(_ name: String, _ operations: FaultOperations, _ files: FaultFiles, _ code: FaultCode) {
    self.name = name
    self.operations = operations
    self.files = files
    self.code = code
  }

  package var description: String { name }

  /// More file operations than a transaction or an opening makes. A test that fails one after another ends here at the
  /// latest.
  package static let mostOperations = 1_000

  package static let all: [Fault] = [
    Fault("full disk", .write, .any, .full),
    Fault("full disk, torn write", .write, .any, .tornFull),
    Fault("write error", .write, .any, .ioErrorWrite),
    Fault("write error after the write", .write, .any, .doneButFailed),
    Fault("sync error", .sync, .any, .ioErrorSync),
    Fault("sync error after the sync", .sync, .any, .doneButFailed),
    Fault("read error", .read, .any, .ioErrorRead),
    Fault("bad data", .read, .main, .badData),
    Fault("truncate error", .truncate, .any, .ioErrorTruncate),
    Fault("lock error", .lock, .any, .ioErrorLock),
    Fault("lock held by another", .lock, .any, .busy),
    Fault("wal lock error", .sharedMemoryLock, .any, .ioErrorSharedMemoryLock),
    Fault("wal lock held by another", .sharedMemoryLock, .any, .busy),
    Fault("wal index error", .sharedMemoryMap, .any, .ioErrorSharedMemoryMap),
    Fault("open error", .open, .any, .cannotOpen),
    Fault("file size error", .fileSize, .any, .ioError),
    Fault("corrupt", .read, .any, .corrupt),
    Fault("failure at the end of the commit", .commitEnd, .any, .ioError),
    Fault("delete error", .delete, .any, .ioErrorDelete),
    Fault("error of any operation", .any, .any, .ioError),
  ]

  /// The faults that may last. Not among them is a busy lock on the log, for which SQLite itself waits ten seconds.
  package static let lasting = all.filter { !($0.operations == .sharedMemoryLock && $0.code == .busy) }
}
