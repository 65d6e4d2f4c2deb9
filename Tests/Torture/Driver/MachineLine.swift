import Foundation

/// A message from a machine's process to the driver, one line each. Other lines of its output are the machine's own.
enum MachineLine: Codable {
  /// A round begins.
  case round(seed: UInt64)
  /// The round ended and checked this many units.
  case checked(units: Int)
  case finding(Finding)
  case note(String)
  /// A counted event happened this many times.
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
    fflush(nil)  // output of the machine, which could otherwise end in the middle of a line
    FileHandle.standardOutput.write(Data(Self.mark.utf8) + text + Data("\n".utf8))
  }
}
