import Foundation

/// The files of folders.
///
/// Both plugins compile this file, because plugins can't share code in any other way.
enum FolderContents {
  /// Returns every file in a folder and its subfolders, except hidden ones, in an order that doesn't depend on the file
  /// system.
  ///
  /// - Parameter followsLinks: True if a symbolic link to a folder counts as a folder, as in SwiftPM's list of a target's
  ///   files. A folder to which several paths lead counts once. FileManager's enumerator leaves out such folders.
  static func files(in folder: URL, followsLinks: Bool = true) -> [URL] {
    var files: [URL] = []
    var folders = [folder]
    // Folders come before links to them.
    var links: [URL] = []
    // A link may lead to a folder that contains it.
    var seen: Set<[UInt8]> = []
    while let next = folders.popLast() ?? links.popLast() {
      guard seen.insert(Array(next.resolvingSymlinksInPath().path.utf8)).inserted else { continue }
      for name in (try? FileManager.default.contentsOfDirectory(atPath: next.path)) ?? [] where !name.hasPrefix(".") {
        let url = next.appending(path: name)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else { continue }
        if !isFolder.boolValue {
          files.append(url)
        } else if (try? FileManager.default.destinationOfSymbolicLink(atPath: url.path)) == nil {
          folders.append(url)
        } else if followsLinks {
          links.append(url)
        }
      }
      links.sort { $0.path > $1.path }
    }
    return files.sorted { $0.path < $1.path }
  }
}
