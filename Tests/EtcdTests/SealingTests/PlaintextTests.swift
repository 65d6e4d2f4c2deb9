import DflatKV
import DflatSealing
import Foundation
import Testing

/// No file has a value's plaintext, whatever way it was written.
@Suite(.timeLimit(.minutes(15))) struct PlaintextTests {
  private let file: SealedFile
  private static let marker = "PLAINTEXT-marker-7f3a"

  init() throws { file = try SealedFile() }

  /// Returns the names of the files of the folder that contain the marker, in UTF-8 or UTF-16.
  private func leaks(_ marker: String = marker) throws -> [String] {
    let texts = [Data(marker.utf8), marker.data(using: .utf16BigEndian) ?? Data()]
    return try FileManager.default.contentsOfDirectory(atPath: file.folder.path()).filter { name in
      // A copy: closing the files themselves would drop SQLite's locks.
      let copy = file.folder.appending(path: "../copy-\(UUID())").standardizedFileURL
      try run("/bin/cp", [file.folder.appending(path: name).path(), copy.path()])
      defer { try? FileManager.default.removeItem(at: copy) }
      let bytes = try Data(contentsOf: copy)
      return texts.contains { bytes.range(of: $0) != nil }
    }
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
  }

  @Test("The scan finds a value that isn't sealed, in the log and the write-ahead log") func scanWorks() throws {
    file.bare["k"] = Self.marker
    try file.bare.synchronize()
    #expect(try leaks() == ["test.db-wal"])
  }

  @Test("Writes of all kinds leave none in the database, its logs and its backup") func scan() async throws {
    let secrets = file.secrets
    func check(_ what: String, _ write: () async throws -> Void) async throws {
      try await write()
      try secrets.synchronize()
      #expect(try leaks().isEmpty, "\(what)")
    }
    try await check("plain") { secrets["k"] = Self.marker }
    try await check("data") { secrets["data"] = Data(Self.marker.utf8) }
    try await check("list") { secrets["list"] = [Self.marker, "\(Self.marker)é"] }
    try await check("profile") { secrets["profile"] = Profile(name: Self.marker) }
    try await check("FlatBuffer") { secrets["note"] = Note(Self.marker) }
    try await check("stored") { secrets["stored"] = StoredValue.string(Self.marker) }
    try await check("large") { secrets["large"] = String(repeating: Self.marker, count: 5_000) }
    try await check("update") { try await secrets.update("k", default: "") { $0 += Self.marker } }
    try await check("update of a FlatBuffer") {
      try await secrets.update("note", default: Note("")) { $0.title? += Self.marker }
    }
    try await check("compareAndSet") { _ = try await secrets.compareAndSet("cas", expected: nil, new: Self.marker) }
    try await check("transaction") { try file.workspace.transactAndWait { _ in secrets["t"] = Self.marker } }
    try await check("aborted") {
      try? file.workspace.transactAndWait { transaction in
        secrets["t"] = Self.marker + "2"
        transaction.abort()
      }
    }
    try await check("replaced") {
      secrets["k"] = 1
      try secrets.synchronize()
      secrets["k"] = Self.marker
    }
    try await check("restored") {
      let id = try secrets.replacedValues().first?.id
      if let id { try await secrets.restoreReplacedValue(id) }
    }
    try await check("removed") { secrets.removeValue(forKey: "list") }
    try await check("rotated") {
      let next = SealKey.random()
      try await file.bare.rotateSealKey(from: file.key, to: next)
      try await file.bare.rotateSealKey(from: next, to: file.key)
    }
    try await check("backup") { try file.workspace.backup(to: file.folder.appending(path: "backup.db").path()) }
    try await check("range") { secrets.removeAll() }
    #expect(secrets.keys.isEmpty)
    await file.workspace.shutdown(flags: .truncate)
    #expect(try leaks().isEmpty)
  }

  @Test("The overlay, the cache and the change log hold envelopes only") func memory() throws {
    file.secrets["k"] = Self.marker
    // The plain write isn't committed yet: another handle reads it from the overlay.
    #expect(try file.bare.storedValue(forKey: "k")?.kind == .sealed)
    try file.secrets.synchronize()
    #expect(file.secrets["k", String.self] == Self.marker)
    #expect(try file.bare.storedValue(forKey: "k")?.kind == .sealed)
  }

  @Test("Names of keys and namespaces are visible, as documented") func visible() throws {
    file.secrets[Self.marker] = 1
    try file.secrets.synchronize()
    #expect(try !leaks().isEmpty && !leaks("secrets").isEmpty)
  }
}
