import ArgumentParser
import DflatEntities
import DflatKV

struct QueryCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Print the objects of a type.",
    discussion: """
      The type is one that 'kvtool tables' lists; the file contains its schema. --where compares fields with values: \
      == != < <= > >=, 'in [1, 2]', 'contains', 'hasPrefix', 'hasSuffix', 'equals' (title equals "a" ignoringCase), \
      'matches' for a full-text search, 'is null', 'is empty', joined by &&, || and !. 'not in', 'is not null' and \
      'is not empty' are the opposite. Numbers have +, - and % (the remainder): stars + 1 > mana % 7. Texts are in \
      quotes. Fields of a nested value, or of a union's member, follow a dot: position.x, content.Text.body. A name in backquotes is always a field: `in` == 3. An absent field is neither equal to a value nor unequal to it.

      On a terminal the objects are a table, else a line of JSON each, in flatc's form with defaults. --format csv \
      prints a header, and nested values as JSON.

      Example:
        kvtool query Post --where 'stars > 3' --order stars:desc --limit 10
        kvtool query Post --where 'author == "Ada" && title contains "a"' --count
        kvtool query Post --format csv > posts.csv
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The type, with its namespace or without, or the name of its table.")
  var type: TextArgument

  @OptionGroup var condition: ConditionOptions

  @Option(
    help: ArgumentHelp(
      "The sort keys: fields, each optionally with :asc or :desc, separated by commas. Without --order, objects are in the order of their insertion.",
      valueName: "fields"))
  var order: OrderArgument?

  @Option(help: ArgumentHelp("At most this many objects.", valueName: "count"))
  var limit: CountArgument?

  @Option(help: ArgumentHelp("Leave out this many objects at the beginning.", valueName: "count"))
  var offset: CountArgument?

  @Flag(help: "Print the number of objects instead.")
  var count = false

  @Flag(help: "Print how the objects would be found instead: the indexes, SQL, and SQLite's plan.")
  var explain = false

  @Option(help: "The format: auto, table, ndjson, json or csv.")
  var format = ObjectFormat.auto

  func validate() throws {
    if count, explain { throw ValidationError("--count and --explain exclude each other") }
    guard format == .auto || !count && !explain else {
      throw ValidationError("--format is about objects: leave out --\(count ? "count" : "explain")")
    }
  }

  func run() throws {
    // Report a mistake in the condition before the file is opened.
    let syntax = try condition.parse()
    let database = try options.openForQuerying()
    // The schema and the objects are those of one commit.
    let output = try database.workspace.fetchWithinASnapshot {
      let type = try StoredType.named(self.type.text, in: try database.workspace.storedTables())
      return try TransactionStep.Outcome.lines(lines(of: query(type, syntax), type, in: database))
    }
    let printing = Result { try output.report() }
    database.workspace.shutdown()
    try OpenDatabase.requireNoReportedError(after: printing)
  }

  func step() throws -> TransactionStep {
    let syntax = try condition.parse()
    return .objects(type.text) { type, database, _ in
      .lines(try lines(of: query(type, syntax), type, in: database))
    }
  }

  private func query(_ type: StoredType, _ syntax: PredicateSyntax?) throws -> DescribedQuery {
    let condition = try syntax?.resolved(for: type)
    let orders = try order.map { order in
      try PredicateFailure.reporting("--order") { () throws(PredicateFailure) in try order.orders(type) }
    }
    return DescribedQuery(
      type.described, where: condition, orderBy: orders ?? [], limit: limit?.count, offset: offset?.count ?? 0)
  }

  private func lines(of query: DescribedQuery, _ type: StoredType, in database: OpenDatabase) throws -> [String] {
    if count { return ["\(try query.count(in: database.workspace))"] }
    if explain { return try query.explanation(in: database.workspace).map { ["\($0)"] } ?? [] }
    let objects = try query.objects(in: database.workspace) { _, bytes in try type.json(bytes) }
    return ObjectPrinter(format, isTerminal: StandardOutput.isTerminal, type).lines(objects)
  }
}
