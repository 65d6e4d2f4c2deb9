public import DflatEntities

/// Stores the objects of a response in a transaction. Generated code calls it.
///
/// Like its transaction, it is used on one thread.
public final class ResponseWriter {
  private let transaction: TransactionContext
  /// The objects that have been stored.
  public private(set) var objects = StoredObjects()

  /// Creates a writer for a transaction, in its closure.
  public init(_ transaction: TransactionContext) { self.transaction = transaction }

  /// Changes the object with a key, or inserts it. Blocks the calling thread as `TransactionContext.submit(_:)` does.
  ///
  /// - Parameters:
  ///   - type: The type of the object.
  ///   - key: Sets the fields of the primary key.
  ///   - write: Sets the fields that the response has. The others keep their values.
  /// - Throws: The errors of `TransactionContext.submit(_:)`.
  public func upsert<Element: Atom>(
    _ type: Element.Type, key: (inout Element._Builder) -> Void, _ write: (inout Element._Builder) -> Void
  ) throws {
    var keyed = Element._Builder()
    key(&keyed)
    let request =
      EntityChangeRequest<Element>.changeRequest(keyed.build(identity: .unsaved))
      ?? EntityChangeRequest<Element>(_values: keyed)
    write(&request._values)
    switch try transaction.submit(request) {
    case .inserted(let object): objects.add(.new, object)
    case .updated(let object): objects.add(.changed, object)
    case .identity(let object): objects.add(.unchanged, object)
    case .deleted: break
    }
  }

  /// Returns a stored list with the elements of a response.
  ///
  /// Elements have no keys. One that has all values of the response keeps the fields that the operation doesn't select:
  /// of the stored elements with these values, the next one after the last that was kept. Other elements are new.
  ///
  /// - Parameters:
  ///   - stored: The stored elements.
  ///   - values: The elements of the response.
  ///   - create: Returns an element without values.
  ///   - write: Sets the fields that the response has.
  public static func list<Value, Element: Equatable>(
    _ stored: [Element], replacedBy values: [Value], create: () -> Element, write: (Value, inout Element) -> Void
  ) -> [Element] {
    var isKept = [Bool](repeating: false, count: stored.count)
    var next = 0
    // Bounds the time for long lists that have nothing in common.
    var comparisonsLeft = max(250_000, 8 * (stored.count + values.count))
    return values.map { value in
      for offset in stored.indices where comparisonsLeft > 0 {
        let index = (next + offset) % stored.count
        comparisonsLeft -= 1
        if isKept[index] { continue }
        var element = stored[index]
        write(value, &element)
        if element == stored[index] {
          isKept[index] = true
          next = index + 1
          return element
        }
      }
      var element = create()
      write(value, &element)
      return element
    }
  }

  /// Returns a value after a change of it.
  public static func filled<Value>(_ value: Value, _ fill: (inout Value) -> Void) -> Value {
    var value = value
    fill(&value)
    return value
  }
}
