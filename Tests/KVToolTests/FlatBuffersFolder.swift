import Foundation
import TestSupport
import Testing

@testable import kvtool

/// The tool's folder with schemas, and `flatc` for comparison.
struct FlatBuffersFolder {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  func write(_ text: String, to name: String) throws {
    let file = kvtool.folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Returns the bytes that flatc makes from a JSON text.
  func flatcBytes(_ json: String, schema: String, root: String? = nil) throws -> Data {
    try write(json, to: "flatc/value.json")
    try flatc(["--binary", "-o", "flatc"] + Self.rootArguments(root) + [schema, "flatc/value.json"])
    return try Data(contentsOf: kvtool.folder.appendingPathComponent("flatc/value.bin"))
  }

  /// Returns the JSON that flatc makes from bytes.
  func flatcJSON(_ bytes: Data, schema: String, root: String? = nil) throws -> JSONValue {
    try bytes.write(to: kvtool.folder.appendingPathComponent("flatc/stored.bin"))
    try flatc(
      ["--json", "--raw-binary", "-o", "flatc"] + Self.rootArguments(root) + [schema, "--", "flatc/stored.bin"])
    let text = try Data(contentsOf: kvtool.folder.appendingPathComponent("flatc/stored.json"))
    return try JSONParser.parse([UInt8](text), dialect: .flatc)
  }

  private static func rootArguments(_ root: String?) -> [String] {
    root.map { ["--root-type", $0] } ?? []
  }

  private func flatc(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["flatc"] + arguments
    process.currentDirectoryURL = kvtool.folder
    process.standardInput = FileHandle.nullDevice
    try FileManager.default.createDirectory(
      at: kvtool.folder.appendingPathComponent("flatc"), withIntermediateDirectories: true)
    let log = kvtool.folder.appendingPathComponent("flatc/log")
    try Data().write(to: log)
    process.standardOutput = try FileHandle(forWritingTo: log)
    process.standardError = process.standardOutput
    try ProgramStart.alone { try process.run() }
    process.waitUntilExit()
    let message = try String(decoding: Data(contentsOf: log), as: UTF8.self)
    #expect(process.terminationStatus == 0, "\(message)")
  }

  /// Returns the bytes that are stored under a key, and their schema version.
  func stored(_ key: String) async throws -> (bytes: Data, version: String?) {
    let export = try await kvtool("export")
    let document = try #require(try JSONSerialization.jsonObject(with: export.bytes) as? [String: Any])
    let namespaces = try #require(document["namespaces"] as? [String: [String: [String: Any]]])
    let entry = try #require(namespaces[""]?[key])
    #expect(entry["type"] as? String == "flatbuffers")
    let text = try #require(entry["value"] as? String)
    return (try #require(Data(base64Encoded: text)), entry["schemaVersion"] as? String)
  }

  /// Stores bytes unchanged.
  func store(_ bytes: Data, version: String? = nil, key: String) async throws {
    let version = version.map { ",\"version\":\"\($0)\"" } ?? ""
    let operation = """
      {"op":"set","key":"\(key)","type":"flatbuffers"\(version),"value":"\(bytes.base64EncodedString())"}
      """
    #expect(try await kvtool("txn", input: Data(operation.utf8)).status == 0)
  }

  func json(_ text: String) throws -> JSONValue {
    try JSONParser.parse(Array(text.utf8), dialect: .flatc)
  }
}
