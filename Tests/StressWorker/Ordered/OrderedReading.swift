import DflatKV
import GoldenModels
import HistoryChecker
import TestSupport

/// Reads in the transaction, snapshot or plain state that this thread is in.
extension OrderedRun {
  /// A random range of keys whose names have a common prefix.
  static func block(_ random: inout SeededGenerator) -> Range<Int> {
    let size = [8, 16, 32].randomElement(using: &random) ?? 8
    let first = Int.random(in: 0..<32 / size, using: &random) * size
    return first..<first + size
  }

  static func read(_ key: Int, _ dictionary: WorkspaceDictionary, _ names: OrderedNames) throws -> Operation {
    .read(key: key, value: OrderedContext.value(of: try dictionary.value(forKey: names[key], as: String.self)))
  }

  static func find(
    _ selection: OrderedHistory.Selection, _ dictionary: WorkspaceDictionary, _ names: OrderedNames
  ) throws -> Operation {
    let found = try dictionary.entries(withPrefix: names.prefix(of: selection.keys)).map { entry in
      guard case .string(let text) = entry.value else { return OrderedHistory.Found(names.key(of: entry.key), 0) }
      return .init(names.key(of: entry.key), OrderedContext.value(of: text))
    }
    return .find(selection, found.sorted { $0.key < $1.key })
  }

  static func names(
    _ selection: OrderedHistory.Selection, _ dictionary: WorkspaceDictionary, _ names: OrderedNames
  ) -> Operation {
    let keys = dictionary.keys(withPrefix: names.prefix(of: selection.keys)).map { names.key(of: $0) }
    return .names(selection, keys.sorted())
  }

  static func read<Store: OrderedStore>(
    _ key: Int, _ store: Store.Type, _ context: OrderedContext
  ) throws -> Operation {
    let query = context.workspace.query(for: Store.Element.self).where(Store.isNamed(context.names[key]))
    return .read(key: key, value: OrderedContext.value(of: try query.first().map(Store.text)))
  }

  /// Runs a query with a random predicate on the attribute, or without one.
  static func query<Store: OrderedStore>(
    _ store: Store.Type, _ context: OrderedContext, _ random: inout SeededGenerator
  ) throws -> Operation {
    let query = context.workspace.query(for: Store.Element.self)
    let attribute = Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let found = try query.where(Store.hasAttribute(Int32(attribute))).fetch()
      return .find(.init(Store.keys, attribute...attribute), Store.found(in: Array(found), context.names))
    case 1:
      let highest = Int.random(in: attribute...4, using: &random)
      let found = try query.where(Store.isAmong(Int32(attribute), Int32(highest))).fetch()
      return .find(.init(Store.keys, attribute...highest), Store.found(in: Array(found), context.names))
    case 2:
      let count = try query.where(Store.hasAttribute(Int32(attribute))).count()
      return .count(.init(Store.keys, attribute...attribute), count)
    default: return .find(.init(Store.keys), Store.found(in: Array(try query.fetch()), context.names))
    }
  }
}
