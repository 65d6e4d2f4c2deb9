import CSQLite
import DflatSupport

/// SQLite's session extension, which records the rows that a transaction changes, and applies such records to another
/// file (<https://www.sqlite.org/sessionintro.html>).
///
/// Its functions are looked up at run time: not every system's library has them, and a program that needs no
/// replication must link with those that don't.
struct SessionLibrary: @unchecked Sendable {  // immutable addresses of functions
  typealias Session = OpaquePointer
  typealias Iterator = OpaquePointer
  typealias Filter = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32
  typealias ConflictHandler = @convention(c) (UnsafeMutableRawPointer?, Int32, Iterator?) -> Int32

  let create: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<Session?>?) -> Int32
  let delete: @convention(c) (Session?) -> Void
  let filterTables: @convention(c) (Session?, Filter?, UnsafeMutableRawPointer?) -> Void
  let attach: @convention(c) (Session?, UnsafePointer<CChar>?) -> Int32
  let isEmpty: @convention(c) (Session?) -> Int32
  let changeset:
    @convention(c) (Session?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32
  let apply:
    @convention(c) (
      OpaquePointer?, Int32, UnsafeMutableRawPointer?, Filter?, ConflictHandler?, UnsafeMutableRawPointer?,
      UnsafeMutablePointer<UnsafeMutableRawPointer?>?, UnsafeMutablePointer<Int32>?, Int32
    ) -> Int32
  let operation:
    @convention(c) (
      Iterator?, UnsafeMutablePointer<UnsafePointer<CChar>?>?, UnsafeMutablePointer<Int32>?,
      UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?
    ) -> Int32
  let start: @convention(c) (UnsafeMutablePointer<Iterator?>?, Int32, UnsafeMutableRawPointer?) -> Int32
  let next: @convention(c) (Iterator?) -> Int32
  let primaryKey:
    @convention(c) (Iterator?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, UnsafeMutablePointer<Int32>?) ->
      Int32
  let finalize: @convention(c) (Iterator?) -> Int32

  /// The extension of the process's SQLite library; nil if the library lacks it.
  static let shared = SessionLibrary()

  /// Returns the extension, or throws if the library lacks it.
  static func required() throws -> SessionLibrary {
    if let shared { return shared }
    throw SQLiteError(extendedCode: SQLITE_ERROR, message: "the SQLite library has no session extension")
  }

  private init?() {
    guard let process = dlopen(nil, RTLD_NOW) else { return nil }
    func function<F>(_ name: String, as type: F.Type) -> F? {
      dlsym(process, name).map { unsafeBitCast($0, to: F.self) }
    }
    guard
      let create = function("sqlite3session_create", as: type(of: self.create)),
      let delete = function("sqlite3session_delete", as: type(of: self.delete)),
      let filterTables = function("sqlite3session_table_filter", as: type(of: self.filterTables)),
      let attach = function("sqlite3session_attach", as: type(of: self.attach)),
      let isEmpty = function("sqlite3session_isempty", as: type(of: self.isEmpty)),
      let changeset = function("sqlite3session_changeset", as: type(of: self.changeset)),
      let apply = function("sqlite3changeset_apply_v2", as: type(of: self.apply)),
      let operation = function("sqlite3changeset_op", as: type(of: self.operation)),
      let start = function("sqlite3changeset_start", as: type(of: self.start)),
      let next = function("sqlite3changeset_next", as: type(of: self.next)),
      let primaryKey = function("sqlite3changeset_pk", as: type(of: self.primaryKey)),
      let finalize = function("sqlite3changeset_finalize", as: type(of: self.finalize))
    else { return nil }
    self.create = create
    self.delete = delete
    self.filterTables = filterTables
    self.attach = attach
    self.isEmpty = isEmpty
    self.changeset = changeset
    self.apply = apply
    self.operation = operation
    self.start = start
    self.next = next
    self.primaryKey = primaryKey
    self.finalize = finalize
  }
}

extension SQLiteLibrary {
  /// True if the library can record and apply changes of rows, which replication needs.
  package static var hasSessions: Bool { SessionLibrary.shared != nil }
}
