import DflatKV

/// `observe PATH KEY …`: subscribes to all keys and to each KEY, and prints the changes that it receives, until `end`
/// is set.
///
/// A line is `SOURCE COMMIT EVENT KEY VALUE`. SOURCE is `prefix` or `key`, and VALUE is `-` if there is none.
enum ObserveCommand: Command {
  static let name = "observe"

  static func run(_ arguments: Arguments) throws {
    let keys = arguments.rest(from: 1)
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    let dictionary = workspace.dictionary
    var subscriptions = [dictionary.subscribe(withPrefix: "") { report("prefix", $0) }]
    for key in keys { subscriptions.append(dictionary.subscribe(key) { report("key", $0) }) }
    let farewell = Farewell(workspace, keys: keys)
    say("ready")
    farewell.wait()
    for subscription in subscriptions { subscription.cancel() }
    workspace.shutdown()
  }

  private static func report(_ source: String, _ change: DictionaryChange) {
    let value = (try? change.value(as: Int.self)).map { "\($0)" } ?? "-"
    say("\(source) \(change.commitNumber) \(change.event.rawValue) \(change.key) \(value)")
  }
}
