import Foundation

/// Prints a line at once, in one piece.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    guard count > 0 else { exit(1) }  // the reader is gone
    rest = rest.dropFirst(count)
  }
}

/// Prints that this process is ready, and waits for a line of input. The end of the input ends the process.
func waitForCue(after line: String) {
  say(line)
  if readLine() == nil { exit(0) }
}
