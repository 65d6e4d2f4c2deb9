import Foundation

/// What a machine's process tells the driver, a line each. Other lines of its output are the machine's own.
enum MachineLine: Codable {
  /// A round begins.
  case round(seed: UInt64)
  /// It ended, having checked so many units.
  case checked(units: Int)
  case finding(Finding)
  case note(String)
  /// Something that is counted happened so many times.
  case count(String, times: Int)
  case skipped(String)
  case finished

  private static let mark = "@torture "

  init?(_ line: String) {
    guard line.hasPrefix(Self.mark) else { return nil }
    let text = Data(line.dropFirst(Self.mark.count).utf8)
    guard let parsed = try? JSONDecoder().decode(Self.self, from: text) else { return nil }
    self = parsed
  }

  /// Writes the line in one piece.
  func write() {
    guard let text = try? JSONEncoder().encode(self) else { return }
    fflush(nil)  // what a machine has printed, which may end in the middle of a line otherwise
    FileHandle.standardOutput.write(Data(Self.mark.utf8) + text + Data("\n".utf8))
  }
}
