import DflatPropertyList
import Foundation
import TestSupport
import Testing

/// Python's `plistlib` reads what the encoder writes, and the decoder reads what `plistlib` writes.
@Suite struct PythonTests {
  private static func python(_ script: String, _ input: Data) throws -> Data {
    let folder = try TemporaryDirectory()
    let (source, target) = (folder.file("source"), folder.file("target"))
    try input.write(to: URL(fileURLWithPath: source))
    let python = try ChildProcess(URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-c", script, source, target])
    #expect(try python.wait() == .exit(0), "\(python.wholeStandardError())")
    return try Data(contentsOf: URL(fileURLWithPath: target))
  }

  @Test("A list that Python reads and writes again is the same value", arguments: 0..<3)
  func again(seed: UInt64) throws {
    var source = SampleSource(random: SeededGenerator(seed: seed), isTame: true)
    let samples = (0..<100).map { _ in source.sample(levels: 3) }
    let script = """
      import plistlib, sys
      with open(sys.argv[1], "rb") as source: value = plistlib.load(source, fmt=plistlib.FMT_BINARY)
      with open(sys.argv[2], "wb") as target: plistlib.dump(value, target, fmt=plistlib.FMT_BINARY)
      """
    let written = try Self.python(script, BinaryPropertyListEncoder().encode(samples.filter { !$0.hasDates }))
    let again = try BinaryPropertyListDecoder().decode([Sample].self, from: written)
    // Python has no floats of four bytes; these come back as the same numbers.
    #expect(again == samples.filter { !$0.hasDates })
  }
}

extension Sample {
  /// Python's dates have microseconds, and end in the year 9999.
  var hasDates: Bool {
    switch self {
    case .date: true
    case .nested(let samples), .list(let samples): samples.contains { $0.hasDates }
    case .members(let samples): samples.values.contains { $0.hasDates }
    case .inherited(let own, let parent): own.hasDates || parent.hasDates
    default: false
    }
  }
}
