import DflatEntities
import DflatKV
import DflatSupport
import Synchronization

/// Prints the objects that match a condition, and then what enters, changes and leaves their set with each commit.
///
/// After each commit that may change the set, all matching objects are read again. Commits that follow each other quickly
/// are shown together, and so are those that come while nobody reads the output: only the newest set waits to be printed.
final class ObjectFeed: Sendable {
  /// An object of the set. Its row is its identity: an object that is deleted and inserted again leaves and enters.
  private struct Object: Equatable, Sendable {
    let rowid: Int64
    /// The stored bytes. A program with a newer schema may change what the JSON doesn't show.
    let bytes: [UInt8]
    let json: JSONValue
  }

  /// The newest set that isn't printed; nil if there is none.
  private struct NewestSet: WaitingOutput {
    var objects: [Object]?

    mutating func next() -> [Object]? { objects.take() }
  }

  private enum Event: String {
    case initial
    case entered
    case changed
    case left
  }

  private let type: StoredType
  private let query: DescribedQuery
  private let format: OutputFormat
  private let limit: Int?
  private let end: SubscriptionEnd
  /// The set as it was printed last; nil before the first time.
  private let shown = Mutex<[Object]?>(nil)
  private let output = OutputThread(NewestSet())
  private let omitsInitial: Bool

  /// - Parameters:
  ///   - type: The type of the objects.
  ///   - condition: The condition; nil for all objects.
  ///   - format: `ndjson`, or another one for lines that people read.
  ///   - limit: The number of lines after which the subscription ends.
  ///   - omitsInitial: True to print no objects that match at the beginning.
  ///   - end: The end of the subscription.
  init(
    _ type: StoredType, _ condition: QueryNode?, format: OutputFormat, limit: Int?, omitsInitial: Bool,
    end: SubscriptionEnd
  ) {
    self.type = type
    self.format = format
    self.limit = limit
    self.omitsInitial = omitsInitial
    self.end = end
    query = DescribedQuery(type.described, where: condition)
    if limit == 0 { end.reach(.done) }
  }

  /// Prints the matching objects, and then changes until the result is released.
  func start(in workspace: SQLiteWorkspace) -> WorkspaceSubscription {
    let (type, query) = (type, query)
    return workspace.observe { reader in
      try query.objects(in: reader) { rowid, bytes in
        Object(rowid: rowid, bytes: Array(bytes), json: try type.json(bytes))
      }
    }.subscribe { [end] error in
      end.reach(.failed((error as? WorkspaceError).map { ToolError($0) } ?? ToolError(.otherError, "\(error)")))
    } changeHandler: { [self, weak workspace] objects in
      do { if let workspace { try requireSchema(in: workspace) } } catch {
        return end.reach(.failed(error as? ToolError ?? ToolError(.otherError, "\(error)")))
      }
      output.add({ $0.objects = objects }, print: { [self] in show($0) })
    }
  }

  /// Waits until the object that is being printed is. Call it after the end, once.
  func finish() { output.finish() }

  /// Throws if a newer program has stored another schema: objects may have fields that this one doesn't show.
  private func requireSchema(in workspace: SQLiteWorkspace) throws {
    let table = try workspace.storedTables().first { $0.name.hasSameBytes(as: type.table.name) }
    guard table?.schema.map({ $0.hasSameBytes(as: type.table.schema ?? "") }) ?? false else {
      throw ToolError(.otherError, "a program has stored another schema of \(type.name): subscribe again")
    }
  }

  private func show(_ objects: [Object]) {
    let before = shown.withLock { shown in
      defer { shown = objects }
      return shown
    }
    guard let before else { return omitsInitial ? () : print(objects.map { (.initial, $0) }) }
    var old: [Int64: Object] = [:]
    for object in before { old[object.rowid] = object }
    let rowids = Set(objects.map(\.rowid))
    print(
      before.filter { !rowids.contains($0.rowid) }.map { (.left, $0) }
        + objects.filter { old[$0.rowid] != $0 }.map { (old[$0.rowid] == nil ? .entered : .changed, $0) })
  }

  private func print(_ events: [(Event, Object)]) {
    for (event, object) in events where !end.isReached {
      do { try StandardOutput.write(line: line(event, object)) } catch {
        return end.reach((error as? ToolError).map { .failed($0) } ?? .done)
      }
      if end.countLine() == limit { end.reach(.done) }
    }
  }

  private func line(_ event: Event, _ object: Object) -> String {
    guard format == .ndjson else { return "\(event.rawValue) \(JSONWriter.string(object.json))" }
    return JSONWriter.string(
      .object(
        JSONObject(inOrder: [
          .init(name: "event", value: .string(event.rawValue)), .init(name: "type", value: .string(type.name)),
          .init(name: "object", value: object.json),
        ])))
  }
}
