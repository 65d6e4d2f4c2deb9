import DflatKV
import GoldenModels
import HistoryChecker

/// Objects of one type, by key. Their text holds the value, and an indexed field the attribute.
protocol OrderedStore: SendableMetatype {
  associatedtype Element: Atom
  associatedtype NamePredicate: Expr where NamePredicate.ResultType == Bool, NamePredicate.Element == Element
  associatedtype IsPredicate: Expr where IsPredicate.ResultType == Bool, IsPredicate.Element == Element
  associatedtype AmongPredicate: Expr where AmongPredicate.ResultType == Bool, AmongPredicate.Element == Element

  /// The store's position in `OrderedKeys.objects`.
  static var place: Int { get }
  static func make(_ name: String, _ text: String, _ attribute: Int32) -> Element
  static func name(of object: Element) -> String
  static func text(of object: Element) -> String
  static func attribute(of object: Element) -> Int32
  static func set(_ text: String, _ attribute: Int32, in fields: inout Element._Builder)
  static func isNamed(_ name: String) -> NamePredicate
  static func hasAttribute(_ attribute: Int32) -> IsPredicate
  static func isAmong(_ lowest: Int32, _ highest: Int32) -> AmongPredicate
}

#if compiler(<6.2)
  // Before Swift 6.2 every metatype was sendable.
  typealias SendableMetatype = Any
#endif

extension OrderedStore {
  static var keys: Range<Int> { OrderedKeys.objects[place] }
  static var lasting: Range<Int> { OrderedKeys.lastingObjects[place] }

  static func found(in objects: [Element], _ names: OrderedNames) -> [OrderedHistory.Found] {
    objects.map {
      .init(names.key(of: name(of: $0), beyond: keys.lowerBound), OrderedContext.value(of: text(of: $0)))
    }.sorted { $0.key < $1.key }
  }
}

enum OrderedPosts: OrderedStore {
  static let place = 0
  static func make(_ name: String, _ text: String, _ attribute: Int32) -> Post {
    Post(title: name, tag: text, priority: attribute)
  }
  static func name(of object: Post) -> String { object.title }
  static func text(of object: Post) -> String { object.tag ?? "" }
  static func attribute(of object: Post) -> Int32 { object.priority }
  static func set(_ text: String, _ attribute: Int32, in fields: inout PostBuilder) {
    fields.tag = text
    fields.priority = attribute
  }
  static func isNamed(_ name: String) -> some Expr<Bool, Post> { Post.title == name }
  static func hasAttribute(_ attribute: Int32) -> some Expr<Bool, Post> { Post.priority == attribute }
  static func isAmong(_ lowest: Int32, _ highest: Int32) -> some Expr<Bool, Post> {
    Post.priority >= lowest && Post.priority <= highest
  }
}

enum OrderedDocs: OrderedStore {
  typealias Element = Golden.Bench.BenchDoc

  static let place = 1
  static func make(_ name: String, _ text: String, _ attribute: Int32) -> Element {
    var fields = Element._Builder()
    fields.title = name
    set(text, attribute, in: &fields)
    return fields.build(identity: .unsaved)
  }
  static func name(of object: Element) -> String { object.title }
  static func text(of object: Element) -> String { object.tag ?? "" }
  static func attribute(of object: Element) -> Int32 { object.priority }
  static func set(_ text: String, _ attribute: Int32, in fields: inout Element._Builder) {
    fields.tag = text
    fields.priority = attribute
  }
  static func isNamed(_ name: String) -> some Expr<Bool, Element> { Element.title == name }
  static func hasAttribute(_ attribute: Int32) -> some Expr<Bool, Element> { Element.priority == attribute }
  static func isAmong(_ lowest: Int32, _ highest: Int32) -> some Expr<Bool, Element> {
    Element.priority >= lowest && Element.priority <= highest
  }
}
