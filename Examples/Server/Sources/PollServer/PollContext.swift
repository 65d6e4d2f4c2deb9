import Foundation
import Hummingbird

/// A request whose response is JSON with its keys in alphabetical order, so that sessions can be compared.
struct PollContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: Source) { coreContext = .init(source: source) }

  var responseEncoder: JSONEncoder { Self.encoder }

  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}
