import DflatBuffers
import DflatEntities
import GoldenModels
import Testing
import TestSupport

/// Three-valued logic, and the results of single operators on single objects.
@Suite struct LogicTests {
  /// A sample on which `known` fields are as said and `unknown` ones are absent.
  private let sample = Sample(
    id: "x", flag: true, number: 7, unsignedLarge: .max, real: .nan, precise: -0.0, text: nil, optionalFlag: nil,
    point: QuerySamples.Point(x: 1, inner: QuerySamples.Inner(a: 3, level: .top), big: 1 << 63))

  private func truth(_ expression: some Expr<Bool, Sample>) -> Bool? { expression.evaluate(object: sample) }

  private enum Operand: CaseIterable {
    case yes, no, unknown

    var value: Bool? { self == .unknown ? nil : self == .yes }

    var expression: ModelPredicate {
      switch self {
      case .yes: ModelPredicate(Sample.flag == true, "true") { _ in true }
      case .no: ModelPredicate(Sample.flag == false, "false") { _ in false }
      case .unknown: ModelPredicate(Sample.optionalFlag == true, "unknown") { _ in nil }
      }
    }
  }

  @Test("Logical operators follow the truth tables of three-valued logic")
  func truthTables() {
    let and: [[Bool?]] = [[true, false, nil], [false, false, false], [nil, false, nil]]
    let or: [[Bool?]] = [[true, true, true], [true, false, nil], [true, nil, nil]]
    for (row, left) in Operand.allCases.enumerated() {
      #expect(truth(left.expression) == left.value)
      #expect(truth(!left.expression) == left.value.map { !$0 })
      #expect(truth(left.expression.isNull) == (left == .unknown))
      #expect(truth(left.expression.isNotNull) == (left != .unknown))
      #expect(truth(left.expression && true) == left.value)
      #expect(truth(false || left.expression) == left.value)
      #expect(truth(left.expression && false) == false)
      #expect(truth(true || left.expression) == true)
      for (column, right) in Operand.allCases.enumerated() {
        #expect(truth(left.expression && right.expression) == and[row][column])
        #expect(truth(left.expression || right.expression) == or[row][column])
        let equal = left == .unknown || right == .unknown ? nil : left.value == right.value
        #expect(truth(left.expression == right.expression) == equal)
      }
    }
  }

  @Test("Operations on null are unknown")
  func nullMakesUnknown() {
    #expect(truth(Sample.text == "x") == nil)
    #expect(truth(Sample.text != "x") == nil)
    #expect(truth(Sample.text < "x") == nil)
    #expect(truth(Sample.text == Sample.text) == nil)
    #expect(truth(Sample.text.in(["x"])) == nil)
    #expect(truth(Sample.text.in([])) == nil)
    #expect(truth(Sample.text.notIn([])) == nil)
    #expect(truth(Sample.text.hasPrefix("")) == nil)
    #expect(truth(Sample.optionalNumber + 1 > 0) == nil)
    #expect(truth(Sample.optionalNumber.between(0...1)) == nil)
    #expect(truth((Sample.optionalNumber + 1).isNull) == true)
    #expect(truth(Sample.id.in([])) == false)
    #expect(truth(Sample.id.notIn([])) == true)
  }

  @Test("NaN equals nothing, and its comparisons are false, as in Swift")
  func notANumber() {
    #expect(truth(Sample.real == .nan) == false)
    #expect(truth(Sample.real == Sample.real) == false)
    #expect(truth(Sample.real != .nan) == true)
    #expect(truth(Sample.real < 1) == false)
    #expect(truth(Sample.real >= 1) == false)
    #expect(truth(!(Sample.real < 1)) == true)
    #expect(truth(Sample.real.in([.nan])) == false)
    #expect(truth(Sample.real.notIn([.nan])) == true)
    #expect(truth(Sample.real + 1 == 1) == false)
    #expect(truth(Sample.precise == 0) == true)
    #expect(truth(Sample.precise.in([0])) == true)
    #expect(truth(Sample.precise - 0.0 < 0) == false)
  }

  @Test("A predicate with an overflow is unknown", arguments: [Int32.max, .min])
  func overflow(number: Int32) {
    let object = Sample(id: "x", tiny: .min, number: number, large: .max, unsignedLarge: 0)
    func truth(_ expression: some Expr<Bool, Sample>) -> Bool? { expression.evaluate(object: object) }
    let one: Int32 = number > 0 ? 1 : -1
    #expect(truth(Sample.number + one > 0) == nil)
    #expect(truth(Sample.number - (0 - one) > 0) == nil)
    #expect(truth(Sample.number + one > 0 || Sample.id == "x") == true)
    #expect(truth(Sample.number % 0 == 0) == nil)
    #expect(truth(Sample.number % -1 == 0) == (number == .min ? nil : true))
    #expect(truth(Sample.tiny % -1 == 0) == nil)
    #expect(truth(Sample.tiny - 1 < 0) == nil)
    #expect(truth(Sample.large + 1 > 0) == nil)
    #expect(truth(Sample.unsignedLarge - 1 > 0) == nil)
    #expect(truth(7 % Sample.number == 7) == true)
  }

  @Test("Unsigned numbers above the signed range compare correctly")
  func unsignedNumbersAboveTheSigned() {
    #expect(truth(Sample.unsignedLarge > UInt64(Int64.max)) == true)
    #expect(truth(Sample.unsignedLarge - 1 == .max - 1) == true)
    #expect(truth(Sample.point.big == 1 << 63) == true)
    #expect(truth(Sample.point.big < Sample.unsignedLarge) == true)
  }

  @Test("Operators take fields and constants on either side")
  func everyFormOfOperand() {
    #expect(truth(Sample.number == 7 && 7 == Sample.number && Sample.number == Sample.number) == true)
    #expect(truth(Sample.number != 8 && 8 != Sample.number && !(Sample.number != Sample.number)) == true)
    #expect(truth(Sample.number < 8 && 6 < Sample.number && Sample.number < Sample.number + 1) == true)
    #expect(truth(Sample.number > 6 && 8 > Sample.number && Sample.number + 1 > Sample.number) == true)
    #expect(truth(Sample.number <= 7 && 7 <= Sample.number && Sample.number <= Sample.number) == true)
    #expect(truth(Sample.number >= 7 && 7 >= Sample.number && Sample.number >= Sample.number) == true)
    #expect(truth(Sample.number + 1 == 8 && 1 + Sample.number == 8 && Sample.number + Sample.number == 14) == true)
    #expect(truth(Sample.number - 1 == 6 && 1 - Sample.number == -6 && Sample.number - Sample.number == 0) == true)
    #expect(truth(Sample.number % 4 == 3 && 9 % Sample.number == 2 && Sample.number % Sample.number == 0) == true)
    #expect(truth(Sample.flag) == true)
    #expect(truth(!Sample.flag) == false)
    #expect(truth(Sample.flag > false) == true)
    #expect((Sample.number + 1).evaluate(object: sample) == 8)
    #expect(Sample.point.inner.level.evaluate(object: sample) == .top)
    #expect(Sample.detail.name.evaluate(object: sample) == nil)
  }

  @Test("Texts are compared by their UTF-8 bytes")
  func text() {
    let object = Sample(id: "e\u{301}", text: "a\0b")
    func truth(_ expression: some Expr<Bool, Sample>) -> Bool? { expression.evaluate(object: object) }
    #expect(truth(Sample.id == "\u{e9}") == false)
    #expect(truth(Sample.id == "e\u{301}") == true)
    #expect(truth(Sample.id.hasPrefix("e")) == true)
    #expect(truth(Sample.id.in(["\u{e9}"])) == false)
    #expect(truth(Sample.id < "\u{e9}") == true)
    #expect(truth(Sample.text == "a") == false)
    #expect(truth(Sample.text > "a") == true)
    #expect(truth(Sample.text == "a\0b") == true)
    #expect(truth(Sample.text.hasPrefix("a\0")) == true)
  }

  @Test("Tests of texts look for UTF-8 bytes, or for those of the lower case")
  func textTests() {
    let object = Sample(id: "Caf\u{e9}\0 STRASSE", text: "")
    func truth(_ expression: some Expr<Bool, Sample>) -> Bool? { expression.evaluate(object: object) }
    #expect(truth(Sample.id.contains("\u{e9}\0 S")) == true && truth(Sample.id.contains("e\u{301}")) == false)
    #expect(
      truth(Sample.id.contains("caf")) == false && truth(Sample.id.contains("cAF\u{c9}\0", ignoringCase: true)) == true)
    #expect(truth(Sample.id.hasSuffix("ASSE")) == true && truth(Sample.id.hasSuffix("asse")) == false)
    #expect(truth(Sample.id.hasSuffix("asse", ignoringCase: true)) == true)
    #expect(truth(Sample.id.hasSuffix("stra\u{df}e", ignoringCase: true)) == false)
    #expect(truth(Sample.id.hasPrefix("CAF\u{c9}", ignoringCase: true)) == true)
    #expect(truth(Sample.id.hasPrefix("CAF", ignoringCase: false)) == false)
    #expect(truth(Sample.id.equals("caf\u{c9}\0 strasse", ignoringCase: true)) == true)
    #expect(truth(Sample.id.equals("Caf\u{e9}\0 STRASSE", ignoringCase: false)) == true)
    #expect(truth(Sample.id.equals("Caf\u{e9}\0 STRASSe", ignoringCase: false)) == false)
    #expect(truth(Sample.id.contains("")) == true && truth(Sample.id.hasSuffix("")) == true)
    #expect(truth(Sample.id.isEmpty) == false && truth(Sample.text.isEmpty) == true)
    #expect(truth(Sample.text.contains("\0")) == false && truth(Sample.text.contains("")) == true)
  }

  @Test("Tests of texts are unknown for null")
  func textTestsOfNull() {
    #expect(truth(Sample.text.contains("")) == nil && truth(!Sample.text.contains("x")) == nil)
    #expect(truth(Sample.text.hasSuffix("", ignoringCase: true)) == nil)
    #expect(truth(Sample.text.hasPrefix("", ignoringCase: true)) == nil)
    #expect(truth(Sample.text.equals("", ignoringCase: true)) == nil)
    #expect(truth(Sample.text.isEmpty) == nil && truth(Sample.text.contains("x").isNull) == true)
  }

  @Test("A vector contains its elements, compared like fields")
  func vectors() {
    let object = Sample(
      id: "x", tags: ["Swift", "", "e\u{301}"], numbers: [.min, 0, .max], reals: [.nan, -0.0, .infinity],
      levels: [.low, .top])
    func truth(_ expression: some Expr<Bool, Sample>) -> Bool? { expression.evaluate(object: object) }
    #expect(truth(Sample.tags.contains("Swift")) == true && truth(Sample.tags.contains("swift")) == false)
    #expect(truth(Sample.tags.contains("")) == true && truth(Sample.tags.contains("Swif")) == false)
    #expect(truth(Sample.tags.contains("\u{e9}")) == false && truth(Sample.tags.contains("e\u{301}")) == true)
    #expect(truth(Sample.tags.contains("sWIFT", ignoringCase: true)) == true)
    #expect(truth(Sample.tags.contains("sWIFT", ignoringCase: false)) == false)
    #expect(truth(Sample.tags.contains("E\u{301}", ignoringCase: true)) == true)
    #expect(truth(Sample.numbers.contains(.min) && Sample.numbers.contains(.max)) == true)
    #expect(truth(Sample.numbers.contains(1)) == false && truth(!Sample.numbers.contains(1)) == true)
    #expect(truth(Sample.reals.contains(0)) == true && truth(Sample.reals.contains(.infinity)) == true)
    #expect(truth(Sample.reals.contains(.nan)) == false && truth(!Sample.reals.contains(.nan)) == true)
    #expect(truth(Sample.levels.contains(.top)) == true && truth(Sample.levels.contains(.middle)) == false)
    #expect(truth(Sample.tags.isEmpty) == false && truth(!Sample.numbers.isEmpty) == true)
  }

  @Test("An absent vector is empty, and one in an absent table is unknown")
  func absentVectors() {
    #expect(truth(Sample.tags.isEmpty) == true && truth(Sample.tags.contains("x")) == false)
    #expect(truth(Sample.detail.labels.isEmpty) == nil && truth(Sample.detail.labels.contains("x")) == nil)
    #expect(truth(Sample.detail.labels.isEmpty.isNull) == true)
    let object = Sample(id: "x", detail: QuerySamples.Detail(labels: ["a"]), content: .note(QuerySamples.Detail()))
    let note = Sample.content.as(QuerySamples.Detail.self)
    #expect(Sample.detail.labels.contains("a").evaluate(object: object) == true)
    #expect(note.labels.isEmpty.evaluate(object: object) == true)
    #expect(note.labels.isEmpty.evaluate(object: Sample(id: "x", content: .caption("a"))) == nil)
  }

  @Test("A condition on any damaged bytes is evaluated or throws", arguments: [1, 2, 3] as [UInt64])
  func damagedVectors(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let conditions: [AnyCondition] = [
      AnyCondition(Sample.tags.contains("a", ignoringCase: true)), AnyCondition(Sample.tags.contains("")),
      AnyCondition(Sample.numbers.contains(7)), AnyCondition(Sample.reals.contains(1)),
      AnyCondition(Sample.levels.contains(.low)), AnyCondition(Sample.detail.labels.contains("b")),
      AnyCondition(Sample.tags.isEmpty), AnyCondition(Sample.text.contains("a", ignoringCase: true)),
    ]
    for number in 0..<40 {
      let bytes = Array(RandomSamples.sample(number, &generator).toData())
      for _ in 0..<40 {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          damaged[Int.random(in: damaged.indices, using: &generator)] = UInt8.random(
            in: .min ... .max, using: &generator)
        }
        damaged.removeLast(Int.random(in: 0...min(8, damaged.count), using: &generator))
        for condition in conditions {
          do { _ = try damaged.withUnsafeBytes { try condition.evaluate(bytes: $0) } } catch is FlatBufferError {}
        }
      }
    }
  }

  private struct AnyCondition: Expr {
    typealias ResultType = Bool
    typealias Element = Sample
    let _expression: QueryExpression
    init(_ expression: some Expr<Bool, Sample>) { _expression = expression._expression }
  }

  @Test("Orders compare objects, with null before values")
  func ordersCompareObjects() {
    let small = Sample(id: "a", optionalNumber: 1)
    let large = Sample(id: "b", optionalNumber: 2)
    let none = Sample(id: "c")
    let order = Sample.optionalNumber.descending
    #expect(order.sortingOrder == .descending && order.name == "f34")
    #expect(order.areInSortingOrder(small, large) == .ascending)
    #expect(order.areInSortingOrder(large, small) == .descending)
    #expect(order.areInSortingOrder(small, small) == .same)
    #expect(order.areInSortingOrder(none, small) == .ascending)
    #expect(order.areInSortingOrder(none, none) == .same)
    #expect(Sample.id.ascending.name == "__pk0")
    let custom = [Int32(2), 1, 2].firstIndex(of: Sample.optionalNumber)
    #expect(custom.areInSortingOrder(large, small) == .ascending)
    #expect(custom.areInSortingOrder(none, large) == .ascending)
    #expect([Int32(2), 1, 2].lastIndex(of: Sample.optionalNumber).areInSortingOrder(large, small) == .descending)
  }

  @Test("A predicate of many operators compiles and evaluates")
  func compilesQuickly() {
    // The example that a slow type checker would not get through.
    let predicate =
      Post.priority > 100 && Post.color == .red && Post.tag == "x" || Post.priority + 1 < 3 && Post.tag != nil
    #expect(predicate.evaluate(object: Post(title: "", color: .red, tag: "x", priority: 101)) == true)
  }
}
