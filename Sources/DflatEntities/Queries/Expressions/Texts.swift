import DflatSupport

/// The expression of `hasPrefix`.
public struct HasPrefixExpr<T: Expr, Element: Atom>: Expr where T.Element == Element, T.ResultType == String {
  public typealias ResultType = Bool
  let operand: T
  let prefix: String

  public var _expression: QueryExpression { QueryExpression(.hasPrefix(operand.node, prefix)) }
}

/// The expression of `contains`, `hasSuffix`, and of tests that ignore case.
public struct TextTestExpr<T: Expr, Element: Atom>: Expr where T.Element == Element, T.ResultType == String {
  public typealias ResultType = Bool
  private let test: QueryNode

  init(_ test: QueryNode) { self.test = test }

  public var _expression: QueryExpression { QueryExpression(test) }
}

/// Texts are compared by their UTF-8 bytes. A test that ignores case compares the bytes of their lower cases, which are
/// those of `String.lowercased()`: "É" equals "é", but not "e", and "ß" doesn't equal "SS". The language doesn't
/// matter.
extension Expr where ResultType == String {
  /// Tests if the text is empty.
  public var isEmpty: EqualToExpr<Self, ValueExpr<String, Element>, Element> {
    EqualToExpr(left: self, right: ValueExpr(""))
  }

  /// Tests if the text begins with the prefix's UTF-8 bytes. Every text begins with the empty prefix.
  public func hasPrefix(_ prefix: String) -> HasPrefixExpr<Self, Element> {
    HasPrefixExpr(operand: self, prefix: prefix)
  }

  /// Tests if the text begins with a prefix. An index finds these texts only if case is not ignored.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.title.hasPrefix("re:", ignoringCase: true))
  ///
  /// - Parameters:
  ///   - prefix: The prefix. Every text begins with the empty one.
  ///   - ignoringCase: True to compare the UTF-8 bytes of `lowercased()` rather than those of the texts.
  public func hasPrefix(_ prefix: String, ignoringCase: Bool) -> TextTestExpr<Self, Element> {
    if !ignoringCase { return TextTestExpr(.hasPrefix(node, prefix)) }
    return TextTestExpr(.matches(node, TextPattern(prefix, at: .start, ignoringCase: true)))
  }

  /// Tests if the text ends with a suffix. No index finds these texts.
  ///
  /// - Parameters:
  ///   - suffix: The suffix. Every text ends with the empty one.
  ///   - ignoringCase: True to compare the UTF-8 bytes of `lowercased()` rather than those of the texts.
  public func hasSuffix(_ suffix: String, ignoringCase: Bool = false) -> TextTestExpr<Self, Element> {
    TextTestExpr(.matches(node, TextPattern(suffix, at: .end, ignoringCase: ignoringCase)))
  }

  /// Tests if the text contains another one. No index finds these texts.
  ///
  ///     let posts = workspace.fetch(for: Post.self).where(Post.title.contains("swift", ignoringCase: true))
  ///
  /// - Parameters:
  ///   - text: The text to look for. Every text contains the empty one.
  ///   - ignoringCase: True to compare the UTF-8 bytes of `lowercased()` rather than those of the texts.
  public func contains(_ text: String, ignoringCase: Bool = false) -> TextTestExpr<Self, Element> {
    TextTestExpr(.matches(node, TextPattern(text, at: .anywhere, ignoringCase: ignoringCase)))
  }

  /// Tests if the text equals another one. An index finds these texts only if case is not ignored.
  ///
  /// - Parameters:
  ///   - text: The other text.
  ///   - ignoringCase: True to compare the UTF-8 bytes of `lowercased()` rather than those of the texts.
  public func equals(_ text: String, ignoringCase: Bool) -> TextTestExpr<Self, Element> {
    if !ignoringCase { return TextTestExpr(.comparison(.equal, node, .constant(.text(text)))) }
    return TextTestExpr(.matches(node, TextPattern(text, at: .whole, ignoringCase: true)))
  }
}
