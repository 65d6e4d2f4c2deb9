import Foundation

enum FileSize {
  /// The bytes on the disk of all files in a database's folder.
  static func onDisk(inFolderOf path: String) throws -> Int {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return 0 }
    var size = 0
    for case let file as URL in files {
      var status = stat()
      // A file of LMDB's may have holes.
      if stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { size += Int(status.st_blocks) * 512 }
    }
    return size
  }
}
