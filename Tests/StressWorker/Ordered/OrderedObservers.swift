import DflatKV
import GoldenModels
import HistoryChecker

/// Observes some keys, a prefix, and queries, and logs the values that it receives.
final class OrderedObservers {
  private let context: OrderedContext
  private var subscriptions: [any Sendable] = []

  init(_ context: OrderedContext) {
    self.context = context
    let (names, recorder) = (context.names, context.recorder)
    let dictionary = context.workspace.dictionary
    for key in Array(0..<4) + [16, 17] {
      subscriptions.append(
        dictionary.subscribe(names[key]) { change in
          recorder.observe(key, key: key, value: Self.value(of: change), isInitial: change.event == .initial)
        })
    }
    subscriptions.append(
      dictionary.subscribe(withPrefix: names.prefix(of: 8..<16)) { change in
        let key = names.key(of: change.key)
        recorder.observe(100, key: key, value: Self.value(of: change), isInitial: false)
      })
    observe(200, OrderedPosts.self, .init(OrderedKeys.objects[0], 1...1))
    observe(201, OrderedDocs.self, .init(OrderedKeys.objects[1], 2...Int(Int32.max)))
  }

  private static func value(of change: DictionaryChange) -> Int {
    guard case .string(let text)? = change.value else { return 0 }
    return OrderedContext.value(of: text)
  }

  private func observe<Store: OrderedStore>(
    _ observer: Int, _ store: Store.Type, _ selection: OrderedHistory.Selection
  ) {
    let (names, recorder) = (context.names, context.recorder)
    let result = context.workspace.fetch(for: Store.Element.self).where(
      Store.isAmong(Int32(selection.attributes.lowerBound), Int32(selection.attributes.upperBound)))
    subscriptions.append(
      context.workspace.subscribe(fetchedResult: result) { result in
        recorder.observe(observer, selection, Store.found(in: Array(result), names))
      })
  }

  /// Records that everything before the process's last transaction has been delivered.
  func end() {
    context.recorder.noteDrained()
    subscriptions = []
  }
}
