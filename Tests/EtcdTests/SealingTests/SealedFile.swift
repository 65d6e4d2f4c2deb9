import DflatBuffers
import DflatKV
import DflatSealing
import Foundation
import Synchronization

/// A file in a folder of its own, with a workspace whose errors are kept. Both end with the object.
final class SealedFile: Sendable {
  let folder = FileManager.default.temporaryDirectory.appending(path: "sealing-\(UUID())")
  let workspace: SQLiteWorkspace
  let key = SealKey.random()

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    options.busyTimeout = .seconds(30)
    let errors = ErrorList()
    options.errorHandler = { errors.append($0) }
    self.errors = errors
    workspace = try SQLiteWorkspace.open(filePath: folder.appending(path: "test.db").path(), options: options)
  }

  private let errors: ErrorList

  deinit {
    workspace.shutdown()
    try? FileManager.default.removeItem(at: folder)
  }

  var path: String { folder.appending(path: "test.db").path() }

  /// The namespace "secrets" with the file's key.
  var secrets: WorkspaceDictionary { workspace.dictionary.namespace("secrets", sealedWith: key) }

  /// The same namespace without a key.
  var bare: WorkspaceDictionary { workspace.dictionary.namespace("secrets") }

  /// Returns the codes of the errors that were reported since the last call.
  func takeCodes() -> [WorkspaceError.Code] { errors.take().map(\.code) }

  /// Opens another workspace on the file, which this one treats as another process's.
  func another() throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    options.busyTimeout = .seconds(30)
    return try SQLiteWorkspace.open(filePath: path, options: options)
  }

  /// Returns a key's envelope.
  func envelope(_ key: String, in namespace: String = "secrets") throws -> Data {
    guard case .sealed(let bytes)? = try workspace.dictionary.namespace(namespace).storedValue(forKey: key) else {
      throw CocoaError(.coderValueNotFound)
    }
    return bytes
  }
}

final class ErrorList: Sendable {
  private let errors = Mutex<[WorkspaceError]>([])

  func append(_ error: WorkspaceError) { errors.withLock { $0.append(error) } }

  func take() -> [WorkspaceError] {
    errors.withLock { errors in
      defer { errors = [] }
      return errors
    }
  }
}

/// Values in the order of their arrival.
final class Received<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  func append(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }
}

extension SQLiteWorkspace {
  /// Returns when the callbacks of all earlier commits have run: an observer of the root gets the commit of a new value.
  func settle() async throws {
    let name = "settle-\(UUID())"
    let stream = dictionary.subscribe(name, of: Bool.self)
    dictionary[name] = true
    for await value in stream where value == true { break }
  }
}

extension WorkspaceDictionary {
  /// Returns the code of the error of a read.
  func code<T: DictionaryCodable>(of key: String, _ type: T.Type) -> WorkspaceError.Code? {
    do {
      _ = try value(forKey: key, as: type)
      return nil
    } catch { return (error as? WorkspaceError)?.code }
  }

  /// Waits for the plain writes, and returns the code of their failure.
  func failure() -> WorkspaceError.Code? {
    do {
      try synchronize()
      return nil
    } catch { return (error as? WorkspaceError)?.code }
  }
}

struct Profile: Codable, Equatable, Sendable {
  var name = ""
  var age = 0
  var tags: [String] = []
}

/// `table Note { title: string; }`, reduced to what the tests use.
struct Note: FlatBufferTableValue, FlatBuffersCodable, Equatable, Sendable {
  static let flatBuffersSchemaVersion: String? = "1.0"
  static let flatBufferLayout: TableLayout = .init("Note", fields: [.string("title", 4)])

  var title: String?

  init(_ title: String) { self.title = title }
  init(_ table: FlatBufferTable) throws(FlatBufferError) { title = try table.string(4) }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset {
    let title = builder.create(title)
    builder.startTable(slots: 1)
    builder.add(title, at: 4)
    return builder.endTable()
  }
}
