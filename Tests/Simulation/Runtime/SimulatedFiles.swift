/// Delivers writes to the files of a simulation to the watches of its workspaces.
public enum SimulatedFiles {
  public enum Event: Sendable { case sideFile, writeAheadLog }

  nonisolated(unsafe) private static var watchers: [(number: Int, path: String, body: (Event) -> Void)] = []
  nonisolated(unsafe) private static var lastNumber = 0

  /// Adds a watch of a database's files. Returns the number that `unwatch` takes.
  public static func watch(_ databasePath: String, _ body: @escaping (Event) -> Void) -> Int {
    lastNumber += 1
    watchers.append((lastNumber, databasePath, body))
    return lastNumber
  }

  public static func unwatch(_ number: Int) { watchers.removeAll { $0.number == number } }

  /// Delivers a write to a file.
  public static func note(_ event: Event, of databasePath: String) {
    for watcher in watchers where watcher.path == databasePath { watcher.body(event) }
  }
}
