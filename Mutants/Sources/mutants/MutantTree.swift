import Foundation

/// A copy of the project with the chosen mutations compiled in. `DFLATKV_MUTANT` activates one of them.
struct MutantTree {
  let original: URL
  let root: URL

  /// Copies the files that git tracks or would track, except those to be mutated. The build folder of an earlier run
  /// stays, so that only changed files are recompiled.
  func copyTree(except mutated: Set<String>) throws {
    let files = try Shell.output("cd '\(original.path)' && git ls-files --cached --others --exclude-standard")
      .output.split(separator: "\n").map(String.init)
      .filter { FileManager.default.fileExists(atPath: original.appending(path: $0).path) }
    for file in files where !mutated.contains(file) {
      let copy = root.appending(path: file)
      if FileManager.default.contentsEqual(atPath: original.appending(path: file).path, andPath: copy.path) { continue }
      try FileManager.default.createDirectory(at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
      try? FileManager.default.removeItem(at: copy)
      try FileManager.default.copyItem(at: original.appending(path: file), to: copy)
    }
    // Remove files that were deleted or renamed since an earlier run.
    let known = Set(files)
    for folder in ["Sources", "Tests", "Plugins"] {
      let paths = (try? FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
      for path in paths {
        let file = "\(folder)/\(path)"
        guard file.hasSuffix(".swift"), !known.contains(file), !file.hasSuffix("/\(Self.switchName)") else { continue }
        try FileManager.default.removeItem(at: root.appending(path: file))
      }
    }
  }

  /// Compiles the mutations in. Returns those that compile.
  func build(_ mutations: [Mutation], log: (String) -> Void) throws -> [Int: Mutation] {
    let files = Set(mutations.map(\.file))
    var numbered = Dictionary(uniqueKeysWithValues: zip(1..., mutations))
    // Skip mutations that failed to compile in an earlier run.
    let record = root.deletingLastPathComponent().appending(path: "uncompilable.txt")
    var uncompilable = Set(
      (try? String(contentsOf: record, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? [])
    numbered = numbered.filter { !uncompilable.contains($0.value.name) }
    // Build repeatedly, without the mutations in whose lines the compiler reports errors.
    for _ in 0..<12 {
      try write(numbered, in: files)
      // Collect the errors of all files in one build.
      let (status, output) = try Shell.output(
        "cd '\(root.path)' && swift build --build-tests -Xswiftc -continue-building-after-errors 2>&1")
      if status == 0 { return numbered }
      try Data(output.utf8).write(to: root.deletingLastPathComponent().appending(path: "build.log"))
      let broken = places(ofErrorsIn: output)
      var left = numbered.filter { broken[$0.value.file, default: []].isDisjoint(with: $0.value.lines) }
      if left.count == numbered.count {
        // The compiler may report an error further down, such as a use of an uninitialized variable.
        left = numbered.filter { _, mutation in
          !broken[mutation.file, default: []].contains { mutation.line < $0 && $0 < mutation.line + 20 }
        }
      }
      guard left.count < numbered.count else { throw Failure(description: String(output.suffix(4_000))) }
      for (number, mutation) in numbered where left[number] == nil {
        log("doesn't compile: \(mutation.name)")
        uncompilable.insert(mutation.name)
      }
      try Data(uncompilable.sorted().joined(separator: "\n").utf8).write(to: record)
      numbered = left
    }
    throw Failure(description: "The mutations that don't compile could not be told from the others.")
  }

  /// Returns the lines of each file in which the compiler reports an error.
  private func places(ofErrorsIn output: String) -> [String: Set<Int>] {
    var places: [String: Set<Int>] = [:]
    for message in output.split(separator: "\n") where message.contains(": error:") {
      let parts = message.split(separator: ":")
      guard parts.count > 2, let line = Int(parts[1]), parts[0].hasPrefix(root.path + "/") else { continue }
      places[String(parts[0].dropFirst(root.path.count + 1)), default: []].insert(line)
    }
    return places
  }

  /// Writes the mutated files.
  ///
  /// - Parameter files: The files that `copyTree` left out. A file without a compiling mutation is written unchanged.
  private func write(_ numbered: [Int: Mutation], in files: Set<String>) throws {
    let byFile = Dictionary(grouping: numbered, by: \.value.file)
    for file in files.union(try writtenBefore()) {
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

  /// Replaces a file only if its contents differ, because the compiler checks modification times.
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

    /// A byte for each fault, in a file that all processes of a run share.
    nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8>? = {
      guard let path = getenv("DFLATKV_REACHED") else { return nil }
      let file = open(path, O_RDWR | O_CLOEXEC)
      var status = stat()
      guard file >= 0, fstat(file, &status) == 0 else { return nil }
      defer { close(file) }
      let memory = mmap(nil, Int(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
      return memory == MAP_FAILED ? nil : memory?.assumingMemoryBound(to: UInt8.self)
    }()

    /// Returns true while the fault of this number is switched on.
    func _isMutant(_ number: Int) -> Bool {
      if let reached { reached[number] = 1 }
      return number == active
    }
    """
}
