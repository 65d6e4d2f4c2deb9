import Foundation

/// A file in the place of the side file, which every commit writes to.
enum SideFileChange: CaseIterable, Sendable {
  case symbolicLink, hardLink, linkToDatabase, hardLinkToDatabase, danglingLink, pipe, folder, longFile

  private static let content = "somebody else's"

  private static func victim(of path: String) -> String { path + "-victim" }

  func apply(to path: String) throws {
    let (side, victim) = (path + "-dflat", Self.victim(of: path))
    try? FileManager.default.removeItem(atPath: side)
    try Self.content.write(toFile: victim, atomically: false, encoding: .utf8)
    switch self {
    case .symbolicLink: symlink(victim, side)
    case .hardLink: link(victim, side)
    case .linkToDatabase: symlink(path, side)
    case .hardLinkToDatabase: link(path, side)
    case .danglingLink: symlink(victim + "-new", side)
    case .pipe: mkfifo(side, 0o600)
    case .folder: mkdir(side, 0o700)
    case .longFile: try Self.content.write(toFile: side, atomically: false, encoding: .utf8)
    }
  }

  /// Returns the first bytes of a database.
  static func start(of path: String) -> Data {
    FileHandle(forReadingAtPath: path)?.readData(ofLength: 15) ?? Data()
  }

  /// Checks after use of the file that nothing but the side file was written to. The database may have begun in another
  /// way before, because its pages were swapped.
  func check(_ path: String, before: Data) throws {
    let victim = Self.victim(of: path)
    try require(
      (try? String(contentsOfFile: victim, encoding: .utf8)) == Self.content,
      "A commit wrote to the file that '-dflat' links to.")
    try require(
      !FileManager.default.fileExists(atPath: victim + "-new"), "A commit created the file that '-dflat' links to.")
    switch self {
    case .linkToDatabase, .hardLinkToDatabase:
      let start = Self.start(of: path)
      try require(
        start == before || start == Data("SQLite format 3".utf8),
        "A commit wrote to the database, which '-dflat' links to.")
    default: break
    }
  }
}
