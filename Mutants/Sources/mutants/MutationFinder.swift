import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds the places of one source file in which a fault can be compiled.
///
/// It leaves out what no test can notice or what can't be replaced by an expression: assertions, logging, failpoints,
/// attributes, patterns, default arguments, and code that is inlined into other modules.
final class MutationFinder: SyntaxVisitor {
  private let file: String
  private let source: String
  private let lines: SourceLocationConverter
  private(set) var found: [Mutation] = []

  static func mutations(in source: String, file: String) -> [Mutation] {
    let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
    let finder = MutationFinder(file: file, source: source, tree: tree)
    finder.walk(tree)
    return finder.found
  }

  private init(file: String, source: String, tree: Syntax) {
    self.file = file
    self.source = source
    lines = SourceLocationConverter(fileName: file, tree: tree)
    super.init(viewMode: .sourceAccurate)
  }

  private func add(_ kind: Mutation.Kind, _ node: some SyntaxProtocol, _ template: (_ text: String) -> String) {
    add(
      kind, from: node.positionAfterSkippingLeadingTrivia.utf8Offset,
      to: node.endPositionBeforeTrailingTrivia.utf8Offset, template)
  }

  private func add(_ kind: Mutation.Kind, from start: Int, to end: Int, _ template: (_ text: String) -> String) {
    let text = String(decoding: Array(source.utf8)[start..<end], as: UTF8.self)
    // "#" stands for the switch in templates.
    guard !text.contains("#") else { return }
    found.append(
      Mutation(
        kind: kind, file: file, line: lines.location(for: AbsolutePosition(utf8Offset: start)).line, start: start,
        end: end, original: text, template: template(text)))
  }

  // MARK: Places that are left alone

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: FunctionParameterClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: SwitchCaseLabelSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MatchingPatternConditionSyntax) -> SyntaxVisitorContinueKind {
    walk(node.initializer)
    return .skipChildren
  }
  override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { visitUnlessInlinable(node.attributes) }
  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    visitUnlessInlinable(node.attributes)
  }
  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind { visitUnlessInlinable(node.attributes) }
  override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
    visitUnlessInlinable(node.attributes)
  }

  private func visitUnlessInlinable(_ attributes: AttributeListSyntax) -> SyntaxVisitorContinueKind {
    let isInlinable = attributes.contains {
      $0.as(AttributeSyntax.self).map {
        ["inlinable", "usableFromInline"].contains($0.attributeName.trimmedDescription)
      }
        ?? false
    }
    return isInlinable ? .skipChildren : .visitChildren
  }

  /// Calls that change nothing a program can see.
  private static let silentCalls = ["assert", "precondition", "preconditionFailure", "fatalError", "assertionFailure"]

  private func isSilent(_ call: FunctionCallExprSyntax) -> Bool {
    let name = call.calledExpression.trimmedDescription
    return Self.silentCalls.contains(name) || name.hasPrefix("Failpoint.") || name.hasSuffix(".reserveCapacity")
      || name.hasPrefix("log.") || name.contains(".log.") || name.hasSuffix(".logger")
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    isSilent(node) ? .skipChildren : .visitChildren
  }

  // MARK: Expressions

  private static let replacements: [String: (Mutation.Kind, String)] = [
    "<": (.bound, "<="), "<=": (.bound, "<"), ">": (.bound, ">="), ">=": (.bound, ">"),
    "==": (.operator, "!="), "!=": (.operator, "=="), "===": (.operator, "!=="), "!==": (.operator, "==="),
    "&&": (.operator, "||"), "||": (.operator, "&&"), "..<": (.bound, "..."),
  ]

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let symbol = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else { return .visitChildren }
    let (left, right) = (node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription)
    guard !left.contains("\n"), !right.contains("\n") else { return .visitChildren }
    if let (kind, other) = Self.replacements[symbol] {
      add(kind, node) { "(# ? \(left) \(other) \(right) : \($0))" }
    } else if let other = ["+": "-", "-": "+"][symbol], isNumber(node.leftOperand) || isNumber(node.rightOperand) {
      add(.operator, node) { "(# ? \(left) \(other) \(right) : \($0))" }
    }
    return .visitChildren
  }

  private func isNumber(_ node: ExprSyntax) -> Bool { node.is(IntegerLiteralExprSyntax.self) }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let digits = node.literal.text.replacing("_", with: "")
    // Hexadecimal numbers are masks and hash constants.
    guard let number = Int(digits), node.parent?.is(DeclReferenceExprSyntax.self) != true else { return .skipChildren }
    add(.number, node) { "(# ? \(number + 1) : \($0))" }
    return .skipChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    add(.flag, node) { $0 == "true" ? "(!#)" : "(#)" }
    return .skipChildren
  }

  // MARK: Conditions

  override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
    for condition in node.conditions { addCondition(.removedGuard, condition) { "(# || (\($0)))" } }
    return .visitChildren
  }

  override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
    for condition in node.conditions.prefix(1) { addCondition(.removedBranch, condition) { "(!# && (\($0)))" } }
    return .visitChildren
  }

  private func addCondition(
    _ kind: Mutation.Kind, _ element: ConditionElementSyntax, _ template: (String) -> String
  ) {
    guard case .expression(let condition) = element.condition else { return }
    // `try` covers what is to its right.
    let text = condition.trimmedDescription
    add(kind, condition) { text.hasPrefix("try ") ? "try " + template(String($0.dropFirst(4))) : template($0) }
  }

  // MARK: Steps

  override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
    // The only statement of a body may be its value.
    guard node.count > 1, node.parent?.is(SourceFileSyntax.self) != true else { return .visitChildren }
    for item in node {
      switch step(item) {
      case .call: add(.removedCall, item) { "if !# { \($0) }" }
      case .assignment: add(.removedAssignment, item) { "if !# { \($0) }" }
      case nil: break
      }
    }
    for (first, second) in zip(node, node.dropFirst()) {
      guard step(first) != nil, step(second) != nil else { continue }
      let (a, b) = (first.trimmedDescription, second.trimmedDescription)
      let isCommented = first.trailingTrivia.containsComment || second.leadingTrivia.containsComment
      guard !a.contains("\n"), !b.contains("\n"), !isCommented else { continue }
      add(
        .swappedSteps, from: first.positionAfterSkippingLeadingTrivia.utf8Offset,
        to: second.endPositionBeforeTrailingTrivia.utf8Offset
      ) { "if # { \(b); \(a) } else { \($0) }" }
    }
    return .visitChildren
  }

  private enum Step { case call, assignment }

  private func step(_ item: CodeBlockItemSyntax) -> Step? {
    guard case .expr(var expression) = item.item else { return nil }
    if let attempt = expression.as(TryExprSyntax.self) { expression = attempt.expression }
    if let infix = expression.as(InfixOperatorExprSyntax.self) {
      let text = infix.leftOperand.trimmedDescription
      let assigns =
        infix.operator.is(AssignmentExprSyntax.self)
        || ["+=", "-="].contains(infix.operator.trimmedDescription)
      return assigns && text != "_" && !isInInitializer(item) ? .assignment : nil
    }
    guard let call = expression.as(FunctionCallExprSyntax.self), !isSilent(call), call.trailingClosure == nil,
      !call.calledExpression.trimmedDescription.hasSuffix(".init"), !call.description.contains("\n    {")
    else { return nil }
    return .call
  }

  private func isInInitializer(_ item: some SyntaxProtocol) -> Bool {
    var node = item.parent
    while let found = node {
      if found.is(InitializerDeclSyntax.self) { return true }
      if found.is(FunctionDeclSyntax.self) || found.is(ClosureExprSyntax.self) { return false }
      node = found.parent
    }
    return false
  }
}

extension Trivia {
  fileprivate var containsComment: Bool {
    contains { piece in
      switch piece {
      case .lineComment, .blockComment, .docLineComment, .docBlockComment: true
      default: false
      }
    }
  }
}
