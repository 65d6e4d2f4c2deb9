import Foundation

/// A copy of the project with the chosen mutations compiled in, of which `DFLATKV_MUTANT` switches one on.
struct MutantTree {
  let original: URL
  let root: URL

  /// Copies what git tracks but for the files in which faults are compiled. The build folder of an earlier run stays, so
  /// that only what differs is compiled again.
  func copyTree(except mutated: Set<String>) throws {
    let files = try Shell.output("cd '\(original.path)' && git ls-files").output.split(separator: "\n").map(String.init)
    for file in files where !mutated.contains(file) {
      let copy = root.appending(path: file)
      if FileManager.default.contentsEqual(atPath: original.appending(path: file).path, andPath: copy.path) { continue }
      try FileManager.default.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try? FileManager.default.removeItem(at: copy)
      try FileManager.default.copyItem(at: original.appending(path: file), to: copy)
    }
    // Files that were deleted or renamed since an earlier run.
    let known = Set(files)
    for folder in ["Sources", "Tests", "Plugins"] {
      for path in try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path) {
        let file = "\(folder)/\(path)"
        guard file.hasSuffix(".swift"), !known.contains(file), !file.hasSuffix("/\(Self.switchName)") else { continue }
        try FileManager.default.removeItem(at: root.appending(path: file))
      }
    }
  }

  /// Compiles the mutations in. Those that don't compile are left out; what is returned does.
  func build(_ mutations: [Mutation], log: (String) -> Void) throws -> [Int: Mutation] {
    var numbered = Dictionary(uniqueKeysWithValues: zip(1..., mutations))
    for _ in 0..<12 {
      try write(numbered)
      let (status, output) = try Shell.output(
        "cd '\(root.path)' && DFLATKV_MUTANT= swift build --build-tests 2>&1")
      if status == 0 { return numbered }
      let broken = Set(numbered.filter { isNamed($0.value, in: output) }.keys)
      guard !broken.isEmpty else { throw Failure(message: String(output.suffix(4_000))) }
      log("\(broken.count) mutations don't compile and are left out")
      for number in broken { numbered[number] = nil }
    }
    throw Failure(message: "The mutations that don't compile could not be told from the others.")
  }

  struct Failure: Error { let message: String }

  /// True when the compiler reports an error in one of the mutation's lines.
  private func isNamed(_ mutation: Mutation, in output: String) -> Bool {
    let lines = mutation.original.split(separator: "\n", omittingEmptySubsequences: false).count
    return (mutation.line..<mutation.line + lines).contains { line in
      output.split(separator: "\n").contains { message in
        message.contains("\(mutation.file):\(line):") && message.contains(": error:")
      }
    }
  }

  private func write(_ numbered: [Int: Mutation]) throws {
    let byFile = Dictionary(grouping: numbered, by: \.value.file)
    for file in Set(byFile.keys).union(try writtenBefore()) {
      var bytes = Array(try Data(contentsOf: original.appending(path: file)))
      for (number, mutation) in (byFile[file] ?? []).sorted(by: { $0.value.start > $1.value.start }) {
        bytes.replaceSubrange(mutation.start..<mutation.end, with: Array(mutation.text(number: number).utf8))
      }
      try replace(file, with: Data(bytes))
    }
    try replace(Self.record, with: Data(byFile.keys.sorted().joined(separator: "\n").utf8))
    for module in Set(byFile.keys.map { $0.split(separator: "/")[1] }) {
      try replace("Sources/\(module)/\(Self.switchName)", with: Data(Self.switchSource.utf8))
    }
  }

  /// Leaves a file alone that would not change: the compiler looks at its time.
  private func replace(_ file: String, with data: Data) throws {
    let url = root.appending(path: file)
    if (try? Data(contentsOf: url)) == data { return }
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  private static let record = ".mutated-files"
  private static let switchName = "IsMutant.swift"

  private func writtenBefore() throws -> [String] {
    guard let text = try? String(contentsOf: root.appending(path: Self.record), encoding: .utf8) else { return [] }
    return text.split(separator: "\n").map(String.init)
  }

  private static let switchSource = """
    #if canImport(Glibc)
      import Glibc
    #elseif canImport(Darwin)
      import Darwin
    #endif

    private let active = getenv("DFLATKV_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

    /// True while the fault of this number is switched on.
    func _isMutant(_ number: Int) -> Bool { number == active }
    """
}
