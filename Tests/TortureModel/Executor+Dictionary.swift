import DflatCore
import DflatKV
import Foundation
import GoldenModels

extension Executor {
  func dictionary(_ namespace: Int, _ place: Place) -> WorkspaceDictionary {
    let root = place.workspace.dictionary
    return namespace == 0 ? root : root.namespace(Alphabet.namespaces[namespace])
  }

  func run(_ operation: Operation, at place: Place, in scope: Scope) throws -> Reply {
    switch operation {
    case .get(let name):
      return .text(try Token.stored(dictionary(name.namespace, place).storedValue(forKey: Alphabet.keys[name.key])))
    case .getInteger(let name):
      let value = try dictionary(name.namespace, place).value(forKey: Alphabet.keys[name.key], as: Int.self)
      return .text(value.map { "i\($0)" } ?? "-")
    case .contains(let name):
      return .text("\(dictionary(name.namespace, place).contains(Alphabet.keys[name.key]))")
    case .keys(let namespace, let prefix):
      let keys = dictionary(namespace, place).keys(withPrefix: Alphabet.prefixes[prefix])
      return .text(keys.map { Alphabet.key($0) }.joined(separator: " "))
    case .count(let namespace): return .text("\(dictionary(namespace, place).count)")
    case .entries(let namespace, let prefix, let limit):
      let entries = try dictionary(namespace, place).entries(withPrefix: Alphabet.prefixes[prefix], limit: limit)
      return .text(try entries.map { "\(Alphabet.key($0.key))=\(try Token.stored($0.value))" }.joined(separator: " "))
    case .namespaces:
      return .text(try place.workspace.dictionary.namespaces().map { Alphabet.namespace($0) }.joined(separator: " "))
    case .set(let name, let value):
      set(name, value, at: place)
      // Reports here whether the value failed: a later write could replace it before it is applied.
      if value.lateFailure != nil, case .plain = scope { try place.workspace.dictionary.synchronize() }
      return .text("ok")
    case .typed(let name, let value): return .text(exchangeTyped(name, value, at: place))
    case .replaced(let use): return try run(use, at: place, in: scope)
    case .typedUse(let name, let use): return .text(try run(use, of: name, at: place))
    case .remove(let name):
      dictionary(name.namespace, place).removeValue(forKey: Alphabet.keys[name.key])
      return .text("ok")
    case .clear(let namespace, let prefix):
      dictionary(namespace, place).removeAll(withPrefix: Alphabet.prefixes[prefix])
      return .text("ok")
    case .add(let name, let amount, let body):
      var replies: [Reply] = []
      let key = Alphabet.keys[name.key]
      do {
        let value = try dictionary(name.namespace, place).update(key, default: Int64(0)) { value in
          replies = perform(body, at: place, in: scope.transaction == nil ? .callback : scope)
          value = value &+ amount
        }
        return .list(replies + [.text("i\(value)")])
      } catch { return .list(replies + [.text(Self.code(error))]) }
    case .exchange(let name, let expected, let new): return .text(try exchange(name, expected, new, at: place))
    case .synchronize:
      try place.workspace.dictionary.synchronize()
      return .text("ok")
    case .flush:
      if case .plain = scope {
        try waiting { try await place.workspace.dictionary.flush() }
      } else {
        try place.workspace.dictionary.synchronize()
      }
      return .text("ok")
    case .transact, .batch, .snapshot, .callback, .completion, .encoder, .late, .decoder, .elsewhere, .observe, .cancel,
      .abort, .shutdown:
      return try runRole(operation, at: place, in: scope)
    default: return try runEntities(operation, at: place, in: scope)
    }
  }

  func set(_ name: Name, _ value: Value, at place: Place) {
    let dictionary = dictionary(name.namespace, place)
    let key = Alphabet.keys[name.key]
    switch value {
    case .bool(let value): dictionary[key] = value
    case .int(let value): dictionary[key] = value
    case .uint(let value): dictionary[key] = value
    case .float(let bits): dictionary[key] = Float(bitPattern: bits)
    case .double(let bits): dictionary[key] = Double(bitPattern: bits)
    case .text(let text): dictionary[key] = text.string
    case .data(let text): dictionary[key] = Data(text.bytes)
    case .pair(let number, let text): dictionary[key] = Pair(number, text)
    case .flat(let text): dictionary[key] = TextContent(text: text.string)
    case .unencodable: dictionary[key] = Unencodable()
    case .deep: dictionary[key] = Deep()
    case .huge: dictionary[key] = Huge.data
    }
  }

  private func exchangeTyped(_ name: Name, _ value: Value, at place: Place) -> String {
    let dictionary = dictionary(name.namespace, place)
    let key = Alphabet.keys[name.key]
    func exchange<T>(_ key: DictionaryKey<T>, _ new: T) -> T {
      let old = dictionary[key]
      let property = Persisted(key, in: dictionary)
      property.wrappedValue = new
      return old
    }
    return switch value {
    case .int(let value): "i\(exchange(DictionaryKey(key, default: Int64(7)), value))"
    case .text(let text): Token.bytes("s", Array(exchange(DictionaryKey(key, default: "default"), text.string).utf8))
    case .pair(let number, let text):
      Token.pair(exchange(DictionaryKey(key, default: Pair(7, Text(salt: 7, length: 7))), Pair(number, text)))
    default:
      Token.flat(exchange(DictionaryKey(key, default: TextContent(text: "default")), TextContent(text: value.text)))
    }
  }

  private func exchange(_ name: Name, _ expected: Value?, _ new: Value?, at place: Place) throws -> String {
    let dictionary = dictionary(name.namespace, place)
    let key = Alphabet.keys[name.key]
    func exchange<T: DictionaryCodable>(_ expected: T?, _ new: T?) throws -> String {
      "\(try dictionary.compareAndSet(key, expected: expected, new: new))"
    }
    switch new ?? expected {
    case .int?: return try exchange(expected?.integer, new?.integer)
    case .text?: return try exchange(expected?.text, new?.text)
    case .double?: return try exchange(expected?.real, new?.real)
    case .unencodable?: return try exchange(nil, Unencodable())
    default: return try exchange(expected?.integer, new?.integer)
    }
  }

  /// Blocks until the asynchronous work is done.
  func waiting<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
    let box = ResultBox<T>()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
      done.signal()
    }
    done.wait()
    guard let result = box.result else { throw Closed() }
    return try result.get()
  }
}

/// Holds a result of another thread. The semaphore beside it orders the accesses.
final class ResultBox<T>: @unchecked Sendable {  // every access takes the lock
  /// The library's lock, because the thread sanitizer doesn't see how a continuation orders its threads.
  private let state = Lock<Result<T, any Error>?>(nil)

  var result: Result<T, any Error>? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

extension Value {
  var integer: Int64? { if case .int(let value) = self { value } else { nil } }
  var text: String? {
    switch self {
    case .text(let text), .flat(let text): text.string
    default: nil
    }
  }
  var real: Double? { if case .double(let bits) = self { Double(bitPattern: bits) } else { nil } }
}
