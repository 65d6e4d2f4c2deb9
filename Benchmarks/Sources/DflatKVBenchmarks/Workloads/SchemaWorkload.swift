import DflatSchema
import Foundation

/// The time that the compiler takes from a large schema to its Swift file.
enum SchemaWorkload {
  private static let tables = 1_000
  private static let rounds = 11

  static func row(_ scratch: ScratchFolder) throws -> Row {
    let schema = scratch.url.appendingPathComponent("large.fbs").path
    try text(tables: tables).write(toFile: schema, atomically: true, encoding: .utf8)
    // The first round warms up.
    let seconds = Samples(Array(try (0...rounds).map { _ in try compile(schema) }.dropFirst()))
    return Row(
      id: "compile-schema", title: "compile a schema of 1,000 tables", baseline: "", unit: .seconds,
      measured: seconds.median, lowerQuartile: seconds.quantile(0.25), upperQuartile: seconds.quantile(0.75), limit: 1,
      rounds: rounds,
      note: "10 fields per table, with enums, structs, unions and recursion; from the schema to the Swift file")
  }

  /// Does the work of `dflatc large.fbs`, and returns its time in seconds.
  private static func compile(_ path: String) throws -> Double {
    let start = MonotonicClock.nanoseconds
    let schema = try SchemaCompiler(source: FileSystemSource()).compile(path)
    let files = SwiftEmitter().files(for: schema, of: schema.files.map(\.path))
    for file in files {
      let output = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent(file.name)
      try Data(file.text.utf8).write(to: output)
    }
    let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
    // The root is a class, the other tables are structures.
    let emitted = files.reduce(0) { $0 + $1.text.matches(of: /(struct|class) Table\d+:/).count }
    guard emitted == tables else { throw BenchmarkFailure("\(emitted) tables were emitted") }
    return seconds
  }

  /// A schema of tables in ten namespaces, with an enum, a struct and a union for every ten tables. The tables refer to
  /// each other forward and backward, so most of them contain themselves.
  static func text(tables: Int) -> String {
    var text = "namespace App.Module0;\n"
    for number in 0..<tables {
      if number % 100 == 0 { text += "namespace App.Module\(number / 100);\n" }
      if number % 10 == 0 { text += shared(number / 10) }
      text += table(number, of: tables)
    }
    return text + "root_type Table\(tables - 1);\n"
  }

  private static func shared(_ group: Int) -> String {
    let members = (0..<10).map { "Table\(group * 10 + $0)" }.joined(separator: ", ")
    return """
      enum State\(group): byte { idle, running = 4, stopped }
      enum Flags\(group): ushort (bit_flags) { visible, locked, starred }
      struct Place\(group) { x: float; y: float; level: short; }
      union Any\(group) { \(members) }

      """
  }

  private static func table(_ number: Int, of tables: Int) -> String {
    let group = number / 10
    return """
      /// The table number \(number).
      table Table\(number) {
        /// The name of the object.
        identifier: string (required\(number == tables - 1 ? ", primary" : ""));
        title: string = "untitled";
        count: int = 3;
        ratio: double = null;
        state: State\(group) = running;
        flags: Flags\(group) = "visible locked";
        places: [Place\(group)];
        next: \(name(number * 7 + 3, of: tables, from: number));
        children: [\(name(number * 13 + 1, of: tables, from: number))];
        content: Any\(group);
      }

      """
  }

  private static func name(_ number: Int, of tables: Int, from other: Int) -> String {
    let number = number % tables
    let table = "Table\(number)"
    return number / 100 == other / 100 ? table : "App.Module\(number / 100).\(table)"
  }
}
