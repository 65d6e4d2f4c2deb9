import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes a set of files, or none of them if one can't be written. Only a failing rename leaves some replaced.
enum OutputFiles {
  /// Replaces the contents of files, except for those that have the text already: they keep their modification times.
  ///
  /// It writes the new texts to temporary files beside the old ones, and then renames them.
  ///
  /// - Throws: ``FileError`` if a file is a folder, or can't be written or renamed.
  static func replace(_ files: [(path: String, text: String)]) throws {
    var written: [(temporary: String, path: String)] = []
    defer { for file in written { unlink(file.temporary) } }
    for (path, text) in files {
      let data = Data(text.utf8)
      let url = URL(fileURLWithPath: path)
      // Leave an unchanged file alone: a build would compile it again.
      if (try? Data(contentsOf: url)) == data { continue }
      // Check now: after the first rename it is too late.
      var isFolder = false
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder {
        throw FileError(path: path, message: "this file can't be written: it is a folder")
      }
      let temporary = url.deletingLastPathComponent()
        .appendingPathComponent(".\(url.lastPathComponent).\(getpid())")
      written.append((temporary.path, path))
      do {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: temporary)
      } catch {
        throw FileError(path: path, message: "this file can't be written: \(reason(error))")
      }
    }
    // All texts are on the disk: replace the files.
    for file in written where rename(file.temporary, file.path) != 0 {
      throw FileError(path: file.path, message: "this file can't be written: \(String(cString: strerror(errno)))")
    }
  }

  /// Returns the system's message without the text that Foundation adds.
  private static func reason(_ error: any Error) -> String {
    guard let system = (error as? CocoaError)?.underlying as? POSIXError else { return "\(error)" }
    return String(cString: strerror(system.code.rawValue))
  }
}
