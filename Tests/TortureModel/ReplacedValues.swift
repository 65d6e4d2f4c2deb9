import DflatCore
import DflatKV
import Foundation

/// A use of the list of replaced values. Values are chosen by their places in the list.
enum ReplacedUse: Codable, Sendable {
  case list(namespace: Int?)
  case restore(Int)
  case remove([Int])

  var printed: String {
    switch self {
    case .list(nil): "d.replacedValues(inAllNamespaces: true)"
    case .list(let namespace?): "\(Name.dictionary(namespace)).replacedValues()"
    case .restore(let place): "restoreReplacedValue(\(place))"
    case .remove(let places): "removeReplacedValues(\(places))"
    }
  }
}

extension Executor {
  /// Lists the values, and then uses some of them. The reply is the list and the outcome.
  func run(_ use: ReplacedUse, at place: Place, in scope: Scope) throws -> Reply {
    switch scope {
    case .transaction: break
    // Without a transaction, a read may be older than other workspaces' commits.
    case .plain: try place.workspace.core.checkForCommits()
    // Here plain writes may be committed before or after the read.
    case .callback, .snapshot: throw Refusal()
    }
    if case .list(let namespace?) = use {
      return .list([.text(Self.token(try dictionary(namespace, place).replacedValues())), .text("ok")])
    }
    let dictionary = place.workspace.dictionary
    let values = try dictionary.replacedValues(inAllNamespaces: true)
    var outcome = "none"
    do {
      switch use {
      case .list: outcome = "ok"
      case .restore(let index):
        if !values.isEmpty { outcome = "\(try dictionary.restoreReplacedValue(values[index % values.count].id))" }
      case .remove(let indices):
        if !values.isEmpty {
          outcome = "\(try dictionary.removeReplacedValues(indices.map { values[$0 % values.count].id }))"
        }
      }
    } catch { outcome = Self.code(error) }
    return .list([.text(Self.token(values)), .text(outcome)])
  }

  private static func token(_ values: [ReplacedValue]) -> String {
    values.map { value in
      let token = (try? Token.stored(value.value)) ?? "?"
      return "\(value.id) \(Alphabet.namespace(value.namespace)) \(Alphabet.key(value.key)) \(token)"
    }.joined(separator: "; ")
  }
}

extension ProgramGenerator {
  mutating func replacedUse() -> ReplacedUse {
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<2: .list(namespace: nil)
    case 2: .list(namespace: pick(namespaces))
    case 3..<7: .restore(chance(2) ? 0 : Int.random(in: 0..<12, using: &random))
    default: .remove((0...Int.random(in: 0...2, using: &random)).map { _ in Int.random(in: 0..<12, using: &random) })
    }
  }
}
