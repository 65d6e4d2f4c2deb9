import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds the possible mutations of one source file.
///
/// It skips code whose faults no test can notice, or that an expression can't replace: assertions, logging, failpoints,
/// attributes, patterns, default arguments, and code that is inlined into other modules.
final class MutationFinder: SyntaxVisitor {
  private let file: String
  private let source: String
  private let lines: SourceLocationConverter
  private(set) var found: [Mutation] = []
  private var ordinals: [String: Int] = [:]
  /// Local variables without an initial value, whose assignments can't be removed.
  private let uninitialized: Set<String>

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
    uninitialized = UninitializedVariables.names(in: tree)
    super.init(viewMode: .sourceAccurate)
  }

  private func add(_ kind: Mutation.Kind, _ node: some SyntaxProtocol, _ template: (_ text: String) -> String) {
    add(
      kind, in: node, from: node.positionAfterSkippingLeadingTrivia.utf8Offset,
      to: node.endPositionBeforeTrailingTrivia.utf8Offset, template)
  }

  private func add(
    _ kind: Mutation.Kind, in node: some SyntaxProtocol, from start: Int, to end: Int,
    _ template: (_ text: String) -> String
  ) {
    let text = String(decoding: Array(source.utf8)[start..<end], as: UTF8.self)
    // Templates use "#" as a placeholder, so the text must not contain it.
    guard !text.contains("#") else { return }
    let declaration = Self.declaration(around: Syntax(node))
    let ordinal = ordinals["\(declaration): \(kind): \(text)", default: 0] + 1
    ordinals["\(declaration): \(kind): \(text)"] = ordinal
    found.append(
      Mutation(
        kind: kind, file: file, declaration: declaration, ordinal: ordinal,
        line: lines.location(for: AbsolutePosition(utf8Offset: start)).line, start: start, end: end, original: text,
        template: template(text)))
  }

  /// Returns the name of the outermost function, variable or initializer that encloses a node, or `-` if there is none.
  private static func declaration(around node: Syntax) -> String {
    var name: String?
    var parent = node.parent
    while let found = parent {
      if let function = found.as(FunctionDeclSyntax.self) {
        name = function.name.text + labels(function.signature.parameterClause)
      } else if let initializer = found.as(InitializerDeclSyntax.self) {
        name = "init" + labels(initializer.signature.parameterClause)
      } else if found.is(DeinitializerDeclSyntax.self) {
        name = "deinit"
      } else if let indexed = found.as(SubscriptDeclSyntax.self) {
        name = "subscript" + labels(indexed.parameterClause)
      } else if let variable = found.as(VariableDeclSyntax.self), found.parent?.is(MemberBlockItemSyntax.self) == true {
        name = variable.bindings.first?.pattern.trimmedDescription
      }
      parent = found.parent
    }
    return name ?? "-"
  }

  private static func labels(_ clause: FunctionParameterClauseSyntax) -> String {
    "(" + clause.parameters.map { $0.firstName.text + ":" }.joined() + ")"
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

  /// Calls without a visible effect.
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
    // Skip comparisons in a sort of distinct elements.
    if left.hasPrefix("$0"), right == left.replacing("$0", with: "$1") { return .visitChildren }
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
    // Skip hexadecimal numbers, which are masks and hash constants.
    guard let number = Int(digits), !isConstant(node) else { return .skipChildren }
    add(.number, node) { "(# ? \(number + 1) : \($0))" }
    return .skipChildren
  }

  /// Returns true for the value of a named constant, such as a batch size: a neighboring value works as well.
  private func isConstant(_ node: some SyntaxProtocol) -> Bool {
    guard let binding = node.parent?.parent?.as(PatternBindingSyntax.self),
      let variable = binding.parent?.parent?.as(VariableDeclSyntax.self)
    else { return false }
    return variable.modifiers.contains { $0.name.text == "static" }
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
    // Keep `try` in front, because it covers everything to its right.
    let text = condition.trimmedDescription
    add(kind, condition) { text.hasPrefix("try ") ? "try " + template(String($0.dropFirst(4))) : template($0) }
  }

  // MARK: Steps

  override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
    // Skip a body with a single statement, which may be its value.
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
      guard !a.contains("\n"), !b.contains("\n"), !isCommented, !areIndependent(a, b) else { continue }
      add(
        .swappedSteps, in: first, from: first.positionAfterSkippingLeadingTrivia.utf8Offset,
        to: second.endPositionBeforeTrailingTrivia.utf8Offset
      ) { "if # { \(b); \(a) } else { \($0) }" }
    }
    return .visitChildren
  }

  /// Returns true if two steps assign to different variables without calls in their values, so that their order doesn't
  /// matter.
  private func areIndependent(_ first: String, _ second: String) -> Bool {
    func parts(_ step: String) -> (target: String, value: String)? {
      let step = step.hasPrefix("try ") ? step.dropFirst(4) : step[...]
      for mark in [" = ", " += ", " -= ", ".append(", ".bind("] {
        guard let found = step.firstRange(of: mark) else { continue }
        // Numeric conversions have no effect.
        let value = step[found.upperBound...].replacing("Int32(", with: "").replacing("Int(", with: "")
        if value.contains("(") && mark != ".bind(" { return nil }
        // Each value is bound to a different parameter.
        let target = step[..<found.lowerBound] + (mark == ".bind(" ? value.suffix(8) : "")
        return (String(target), String(value))
      }
      return nil
    }
    guard let first = parts(first), let second = parts(second) else { return false }
    return first.target != second.target && !first.value.contains(second.target) && !second.value.contains(first.target)
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
      let isUsed = assigns && text != "_" && !isInInitializer(item)
      return isUsed && !uninitialized.contains(text) ? .assignment : nil
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

private final class UninitializedVariables: SyntaxVisitor {
  private var names: Set<String> = []

  static func names(in tree: Syntax) -> Set<String> {
    let visitor = UninitializedVariables(viewMode: .sourceAccurate)
    visitor.walk(tree)
    return visitor.names
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    let isLocal = node.parent?.is(MemberBlockItemSyntax.self) == false
    for binding in node.bindings where isLocal && binding.initializer == nil && binding.accessorBlock == nil {
      names.insert(binding.pattern.trimmedDescription)
    }
    return .visitChildren
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
