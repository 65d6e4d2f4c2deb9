#if Web
  import DflatCore
  import DflatEntities
  import DflatKV
  import DflatSupport

  /// Answers the page's requests about objects.
  struct TableReader {
    /// A mistake in a query, and the number of its first character.
    struct Mistake: Error {
      let message: String
      var column: Int?
    }

    /// The most characters of an object or a schema that are shown.
    private static let longestText = 1 << 14
    private static let mostTables = 1000

    let file: ServedFile

    /// Returns the types of objects, as `kvtool tables` does.
    func tables() throws -> JSONValue {
      let tables = try file.current().database.workspace.storedTables(counting: true)
      return .object(
        JSONObject([
          "tables": .array(tables.prefix(Self.mostTables).map(json)),
          "hasMore": .bool(tables.count > Self.mostTables),
        ]))
    }

    private func json(_ table: StoredTable) -> JSONValue {
      let type = StoredType(table)
      let schema = WebText(type?.schemaText ?? "", limit: Self.longestText)
      return .object(
        JSONObject([
          "table": .string(table.name), "name": .string(WebText.name(type?.name ?? table.name)),
          "objects": JSONValue(table.count ?? 0), "isReadable": .bool(type != nil),
          "schema": .string(schema.isCut ? schema.text + "…" : schema.text),
        ]))
    }

    /// Returns the objects of a table that a condition selects, with the cells of their rows as on a terminal.
    ///
    /// - Throws: ``Mistake`` for the condition and the order; ``ToolError`` and `WorkspaceError`.
    func objects(
      of table: String, where condition: String, order: String, offset: Int, limit: Int
    ) throws -> JSONValue {
      let database = try file.current().database
      return try database.workspace.fetchWithinASnapshot {
        let type = try StoredType.named(table, in: try database.workspace.storedTables())
        let query = DescribedQuery(
          type.described, where: try Self.node(condition, type), orderBy: try Self.orders(order, type),
          limit: limit + 1, offset: offset)
        let printer = ObjectPrinter(.table, isTerminal: true, type)
        let rows = try query.objects(in: database.workspace) { _, bytes in row(try type.json(bytes), printer) }
        return .object(
          JSONObject([
            "columns": .array(printer.columns.map { .string(WebText.name($0)) }),
            "rows": .array(Array(rows.prefix(limit))),
            "hasMore": .bool(rows.count > limit), "commit": JSONValue(database.workspace.commitNumber),
          ]))
      }
    }

    private func row(_ object: JSONValue, _ printer: ObjectPrinter) -> JSONValue {
      let whole = WebText(JSONWriter.string(object, layout: .indented), limit: Self.longestText)
      return .object(
        JSONObject([
          "cells": .array(printer.cells(of: object).map { $0.map { .string(WebText($0, limit: 500).text) } ?? .null }),
          "object": .string(whole.isCut ? whole.text + "…" : whole.text),
        ]))
    }

    private static func node(_ condition: String, _ type: StoredType) throws(Mistake) -> QueryNode? {
      if condition.allSatisfy(\.isWhitespace) { return nil }
      do throws(PredicateFailure) {
        return try PredicateResolver(type: type).condition(try PredicateParser.parse(condition))
      } catch {
        throw Mistake(message: error.message, column: error.column)
      }
    }

    private static func orders(_ order: String, _ type: StoredType) throws(Mistake) -> [QueryOrder] {
      if order.allSatisfy(\.isWhitespace) { return [] }
      guard let argument = OrderArgument(argument: order.filter { $0 != " " }) else {
        throw Mistake(message: "The order is fields with commas between them, each with :asc or :desc.")
      }
      do throws(PredicateFailure) { return try argument.orders(type) } catch {
        throw Mistake(message: "The order: \(error.message)")
      }
    }
  }
#endif
