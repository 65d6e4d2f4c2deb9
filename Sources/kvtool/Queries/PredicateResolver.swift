import DflatEntities
import DflatSchema
import DflatSupport

/// Looks up the names of an expression in the schema of a type, gives each constant the type of what it is compared
/// with, and returns the expression that queries evaluate.
struct PredicateResolver {
  /// An operand with a type: a field, or an expression of fields.
  private struct Operand {
    let node: QueryNode
    let type: QueryValueType
    /// The names of the numbers of an enum or a union.
    var constants: [(name: String, number: Int128)] = []
    /// The path; nil for an expression.
    var path: FieldPath?
  }

  private enum Resolved {
    case operand(Operand)
    case vector(VectorPath, constants: [(name: String, number: Int128)])
    /// A constant, which gets its type from the other side.
    case constant
    /// A name that is no field, but may be that of an enum's value.
    case name(PredicateFailure)
  }

  let type: StoredType

  /// Returns a condition: an expression that is true or false.
  func condition(_ syntax: PredicateSyntax) throws(PredicateFailure) -> QueryNode {
    switch syntax.kind {
    case .and(let left, let right): return .and(try condition(left), try condition(right))
    case .or(let left, let right): return .or(try condition(left), try condition(right))
    case .not(let operand): return .not(try condition(operand))
    case .comparison(let comparison, let left, let right): return try node(comparison, left, right)
    case .isNull(let operand): return .isNull(try self.operand(operand).node)
    case .isIn(let operand, let values): return try isIn(operand, values)
    case .isEmpty(let operand): return try isEmpty(operand)
    case .textTest(let place, let operand, let value, let ignoresCase):
      return try test(place, operand, value, ignoresCase: ignoresCase)
    case .search(let field, let text): return try search(field, text, column: syntax.column)
    case .bool(let value): return .constant(.integer(value ? 1 : 0))
    case .field, .arithmetic, .null, .number, .text:
      guard case .operand(let operand) = try resolve(syntax), operand.type == .bool else {
        if case .name(let failure) = try resolve(syntax) { throw failure }
        throw PredicateFailure(syntax.column, "this is not a condition: compare it, as in 'stars > 3'")
      }
      return operand.node
    }
  }

  /// Returns the field of an order, by the path as it is written.
  func field(_ names: [PredicateSyntax.Name]) throws(PredicateFailure) -> QueryField {
    guard let field = QueryField(try path(names)) else {
      throw PredicateFailure(names[0].column, "\(Self.text(names)) is a vector, which has no order")
    }
    return field
  }

  // MARK: Operands

  private func resolve(_ syntax: PredicateSyntax) throws(PredicateFailure) -> Resolved {
    switch syntax.kind {
    case .null, .number, .text: return .constant
    case .bool: return .constant
    case .field(let names):
      let path: QueryPath
      do throws(PredicateFailure) { path = try self.path(names) } catch {
        if names.count == 1 { return .name(error) }
        throw error
      }
      if let vector = VectorPath(path) { return .vector(vector, constants: path.constants) }
      guard let field = QueryField(path) else { return .constant }
      return .operand(
        Operand(node: .field(field), type: field.path.type, constants: path.constants, path: field.path))
    case .arithmetic(let operation, let left, let right):
      return .operand(try arithmetic(operation, left, right, column: syntax.column))
    case .and, .or, .not, .comparison, .isNull, .isIn, .isEmpty, .textTest, .search:
      return .operand(Operand(node: try condition(syntax), type: .bool))
    }
  }

  /// Returns a field or an expression of fields.
  private func operand(_ syntax: PredicateSyntax) throws(PredicateFailure) -> Operand {
    switch try resolve(syntax) {
    case .operand(let operand): return operand
    case .name(let failure): throw failure
    case .vector: throw PredicateFailure(syntax.column, "this is a vector: test it with 'contains' or 'is empty'")
    case .constant: throw PredicateFailure(syntax.column, "expected a field instead of a value")
    }
  }

  private func path(_ names: [PredicateSyntax.Name]) throws(PredicateFailure) -> QueryPath {
    do throws(FieldPathProblem) {
      return try type.schema.queryPath(names.map(\.text), ofRoot: type.root)
    } catch {
      let name = names[min(error.place, names.count - 1)]
      let advice = error.place == 0 ? type.fieldAdvice(for: name.text) : error.advice
      throw PredicateFailure(name.column, "\(error.message): \(advice)")
    }
  }

  private func arithmetic(
    _ operation: QueryNode.Arithmetic, _ left: PredicateSyntax, _ right: PredicateSyntax, column: Int
  ) throws(PredicateFailure) -> Operand {
    let (first, second) = try pair(left, right, column: column)
    switch first.type.family {
    case .integer, .unsigned: break
    case .real where operation != .remainder: break
    case .real: throw PredicateFailure(column, "'%' needs integers")
    case .bool, .text: throw PredicateFailure(column, "'+', '-' and '%' need numbers")
    }
    // Small integers are added as 64-bit ones, so that a sum exists whenever people expect one.
    let type: QueryValueType =
      switch first.type.family {
      case .integer: .int64
      case .unsigned: .uint64
      default: first.type == .float && second.type == .float ? .float : .double
      }
    return Operand(node: .arithmetic(operation, first.node, second.node, type), type: type)
  }

  /// Returns two operands of one type, of which one may be a constant.
  private func pair(
    _ left: PredicateSyntax, _ right: PredicateSyntax, column: Int
  ) throws(PredicateFailure) -> (Operand, Operand) {
    switch (try resolve(left), try resolve(right)) {
    case (.operand(let first), .operand(let second)):
      guard first.type.family == second.type.family else {
        throw PredicateFailure(
          column, "\(first.type.family.text) and \(second.type.family.text) have nothing in common")
      }
      return (first, second)
    case (.operand(let operand), .constant), (.operand(let operand), .name):
      return (operand, Operand(node: .constant(try value(right, for: operand)), type: operand.type))
    case (.constant, .operand(let operand)), (.name, .operand(let operand)):
      return (Operand(node: .constant(try value(left, for: operand)), type: operand.type), operand)
    case (.vector, _): throw PredicateFailure(left.column, "this is a vector: test it with 'contains' or 'is empty'")
    case (_, .vector): throw PredicateFailure(right.column, "this is a vector: test it with 'contains' or 'is empty'")
    case (.name(let failure), _), (_, .name(let failure)): throw failure
    case (.constant, .constant): throw PredicateFailure(column, "neither side is a field of \(type.name)")
    }
  }

  // MARK: Constants

  private func value(_ syntax: PredicateSyntax, for operand: Operand) throws(PredicateFailure) -> QueryValue {
    try value(syntax, of: operand.type, operand.constants)
  }

  /// Returns a constant as a value of the type that it is compared with.
  private func value(
    _ syntax: PredicateSyntax, of type: QueryValueType, _ constants: [(name: String, number: Int128)]
  ) throws(PredicateFailure) -> QueryValue {
    switch (syntax.kind, type.family) {
    case (.bool(let value), .bool): return .integer(value ? 1 : 0)
    case (.text(let text), .text): return .text(text)
    case (.number(let text), .integer), (.number(let text), .unsigned), (.number(let text), .real):
      return try number(text, of: type, column: syntax.column)
    // A value of an enum, or a member of a union.
    case (.text(let name), _) where !constants.isEmpty:
      return try number(named: name, of: type, constants, column: syntax.column)
    case (.field(let names), _) where names.count == 1 && !constants.isEmpty:
      return try number(named: names[0].text, of: type, constants, column: syntax.column)
    case (.null, _): throw PredicateFailure(syntax.column, "null is only compared with == and !=")
    case (.field(let names), .text) where names.count == 1:
      throw PredicateFailure(
        syntax.column, "\(quoted(names[0].text)) is no field of \(self.type.name): put quotes around a text")
    case (.field(let names), _):
      _ = try path(names)
      throw PredicateFailure(syntax.column, "expected a value instead of a field")
    default:
      throw PredicateFailure(syntax.column, "expected \(type.family.text)\(type.family.example)")
    }
  }

  private func number(_ text: String, of type: QueryValueType, column: Int) throws(PredicateFailure) -> QueryValue {
    if type.family == .real {
      // As in generated code, a `float` is compared with the nearest one.
      guard let number = Double(text), number.isFinite else {
        throw PredicateFailure(column, "\(shortened(text)) is out of the range of a double")
      }
      return .real(type == .float ? Double(Float(number)) : number)
    }
    guard let number = Int128(text) ?? Double(text).flatMap({ Int128(exactly: $0) }) else {
      throw PredicateFailure(column, "\(shortened(text)) has a fraction, and is compared with an integer")
    }
    guard let value = type.value(of: number) else {
      throw PredicateFailure(column, "\(shortened(text)) is out of the range of a 64-bit integer")
    }
    return value
  }

  private func number(
    named name: String, of type: QueryValueType, _ constants: [(name: String, number: Int128)], column: Int
  ) throws(PredicateFailure) -> QueryValue {
    guard let number = constants.first(where: { $0.name.hasSameBytes(as: name) })?.number,
      let value = type.value(of: number)
    else {
      throw PredicateFailure(
        column, "\(quoted(name)) is none of the values: use \(NameList.text(constants.map(\.name)))")
    }
    return value
  }

  // MARK: Tests

  private func node(
    _ comparison: PredicateSyntax.Comparison, _ left: PredicateSyntax, _ right: PredicateSyntax
  ) throws(PredicateFailure) -> QueryNode {
    let tested: PredicateSyntax? =
      switch (left.kind, right.kind) {
      case (.null, _): right
      case (_, .null): left
      default: nil
      }
    if let tested {
      switch comparison {
      case .equal: return .isNull(try operand(tested).node)
      case .notEqual: return .not(.isNull(try operand(tested).node))
      case .less, .lessOrEqual, .greater, .greaterOrEqual:
        throw PredicateFailure(tested.column, "null is only compared with == and !=")
      }
    }
    let (first, second) = try pair(left, right, column: left.column)
    return switch comparison {
    case .equal: .comparison(.equal, first.node, second.node)
    case .notEqual: .comparison(.notEqual, first.node, second.node)
    case .less: .comparison(.less, first.node, second.node)
    case .lessOrEqual: .comparison(.lessOrEqual, first.node, second.node)
    case .greater: .comparison(.less, second.node, first.node)
    case .greaterOrEqual: .comparison(.lessOrEqual, second.node, first.node)
    }
  }

  private func isIn(_ syntax: PredicateSyntax, _ values: [PredicateSyntax]) throws(PredicateFailure) -> QueryNode {
    let operand = try operand(syntax)
    var set: Set<QueryValue> = []
    for syntax in values { set.insert(try value(syntax, for: operand)) }
    return .isIn(operand.node, set)
  }

  private func isEmpty(_ syntax: PredicateSyntax) throws(PredicateFailure) -> QueryNode {
    if case .vector(let path, _) = try resolve(syntax) { return .isEmpty(path) }
    return .comparison(.equal, try text(syntax).node, .constant(.text("")))
  }

  private func test(
    _ place: TextPattern.Place, _ syntax: PredicateSyntax, _ constant: PredicateSyntax, ignoresCase: Bool
  ) throws(PredicateFailure) -> QueryNode {
    if place == .anywhere, case .vector(let path, let constants) = try resolve(syntax) {
      let type = path.element.type
      guard type == .string || !ignoresCase else {
        throw PredicateFailure(syntax.column, "'ignoringCase' needs a vector of strings")
      }
      return .hasElement(path, try value(constant, of: type, constants), ignoresCase: ignoresCase)
    }
    let operand = try text(syntax)
    guard case .text(let text) = try value(constant, for: operand) else {
      throw PredicateFailure(constant.column, "expected a text in quotes")
    }
    switch place {
    case .start where !ignoresCase: return .hasPrefix(operand.node, text)
    case .whole where !ignoresCase: return .comparison(.equal, operand.node, .constant(.text(text)))
    default: return .matches(operand.node, TextPattern(text, at: place, ignoringCase: ignoresCase))
    }
  }

  private func text(_ syntax: PredicateSyntax) throws(PredicateFailure) -> Operand {
    let operand = try operand(syntax)
    guard operand.type == .string else {
      throw PredicateFailure(syntax.column, "this is \(operand.type.family.text), and the test needs a text")
    }
    return operand
  }

  private func search(_ syntax: PredicateSyntax?, _ text: String, column: Int) throws(PredicateFailure) -> QueryNode {
    guard let syntax else {
      let fields = type.entity.searchable
      if fields.isEmpty {
        throw PredicateFailure(column, "\(type.name) has no searchable field: name one before 'matches'")
      }
      return .search(SearchMatch(fields.map(\.path), SearchText(text)))
    }
    guard let path = try self.text(syntax).path else {
      throw PredicateFailure(syntax.column, "'matches' needs a field")
    }
    return .search(SearchMatch([path], SearchText(text)))
  }

  private static func text(_ names: [PredicateSyntax.Name]) -> String {
    "'\(names.map(\.text).joined(separator: "."))'"
  }
}

extension QueryValueType {
  /// The types whose values can be compared with each other.
  fileprivate enum Family {
    case bool, integer, unsigned, real, text

    /// The family in messages.
    var text: String {
      switch self {
      case .bool: "a bool"
      case .integer: "an integer"
      case .unsigned: "a ulong"
      case .real: "a number"
      case .text: "a text"
      }
    }

    var example: String {
      switch self {
      case .bool: ": true or false"
      case .text: " in quotes"
      case .integer, .unsigned, .real: ""
      }
    }
  }

  fileprivate var family: Family {
    switch self {
    case .bool: .bool
    case .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64: .integer
    case .uint64: .unsigned
    case .float, .double: .real
    case .string: .text
    }
  }

  /// Returns an integer as a value of the type, which may be a smaller one; nil if it has more than 64 bits, or a sign
  /// that a `ulong` doesn't have.
  fileprivate func value(of number: Int128) -> QueryValue? {
    self == .uint64 ? UInt64(exactly: number).map { .unsigned($0) } : Int64(exactly: number).map { .integer($0) }
  }
}

extension VectorElement {
  /// The type of the elements.
  fileprivate var type: QueryValueType {
    switch self {
    case .scalar(let type), .enumeration(let type, _, _): type
    case .string: .string
    }
  }
}
