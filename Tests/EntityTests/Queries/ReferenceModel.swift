import DflatEntities
import GoldenModels
import TestSupport

/// A predicate, and its evaluation on an object in plain Swift, which is nil if unknown.
struct ModelPredicate: Expr {
  typealias ResultType = Bool
  typealias Element = Sample

  let _expression: QueryExpression
  let text: String
  let model: @Sendable (Sample) -> Bool?

  init(_ expression: some Expr<Bool, Sample>, _ text: String, _ model: @escaping @Sendable (Sample) -> Bool?) {
    _expression = expression._expression
    self.text = text
    self.model = model
  }

  func and(_ other: ModelPredicate) -> ModelPredicate {
    ModelPredicate(self && other, "(\(text) && \(other.text))") { sample in
      switch (model(sample), other.model(sample)) {
      case (false, _), (_, false): false
      case (true, true): true
      default: nil
      }
    }
  }

  func or(_ other: ModelPredicate) -> ModelPredicate {
    ModelPredicate(self || other, "(\(text) || \(other.text))") { sample in
      switch (model(sample), other.model(sample)) {
      case (true, _), (_, true): true
      case (false, false): false
      default: nil
      }
    }
  }

  var negated: ModelPredicate { ModelPredicate(!self, "!\(text)") { sample in model(sample).map { !$0 } } }
}

/// An order, and its comparison of objects in plain Swift.
struct ModelOrder: Sendable {
  let order: OrderBy<Sample>
  let text: String
  let precedes: @Sendable (Sample, Sample) -> Bool
}

/// A field, with access to it and comparisons of its values in plain Swift.
struct ModelField: Sendable {
  let name: String
  let predicate: @Sendable (inout SeededGenerator) -> ModelPredicate
  let order: @Sendable (inout SeededGenerator) -> ModelOrder
  /// The condition that the field has the same value as in a sample, or none.
  let equality: @Sendable (Sample) -> ModelPredicate

  init<T: DflatFriendlyValue>(
    _ name: String, _ field: FieldExpr<T, Sample>, _ values: [T], _ get: @escaping @Sendable (Sample) -> T?,
    more: @escaping @Sendable (inout SeededGenerator) -> ModelPredicate? = { _ in nil }
  ) {
    self.name = name
    equality = { sample in
      guard let value = get(sample) else { return ModelPredicate(field == nil, "\(name) == nil") { get($0) == nil } }
      return ModelPredicate(field == value, "\(name) == \(value)") { get($0).map { same($0, value) } }
    }
    predicate = { generator in
      if let made = more(&generator) { return made }
      let value = RandomSamples.pick(values, &generator)
      switch Int.random(in: 0..<11, using: &generator) {
      case 0: return ModelPredicate(field == value, "\(name) == \(value)") { get($0).map { same($0, value) } }
      case 1: return ModelPredicate(field != value, "\(name) != \(value)") { get($0).map { !same($0, value) } }
      case 2: return ModelPredicate(field < value, "\(name) < \(value)") { get($0).map { less($0, value) } }
      case 3:
        return ModelPredicate(value <= field, "\(value) <= \(name)") {
          get($0).map { !$0.isNaN && !value.isNaN && !less($0, value) }
        }
      case 4: return ModelPredicate(field > value, "\(name) > \(value)") { get($0).map { less(value, $0) } }
      case 5:
        return ModelPredicate(field >= value, "\(name) >= \(value)") {
          get($0).map { !$0.isNaN && !value.isNaN && !less($0, value) }
        }
      case 6: return ModelPredicate(field == nil, "\(name) == nil") { get($0) == nil }
      case 7: return ModelPredicate(field.isNotNull, "\(name).isNotNull") { get($0) != nil }
      case 8, 9:
        let some = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in RandomSamples.pick(values, &generator) }
        if Bool.random(using: &generator) {
          return ModelPredicate(field.in(some), "\(name).in(\(some))") { sample in
            get(sample).map { value in some.contains { same($0, value) } }
          }
        }
        return ModelPredicate(field.notIn(some), "\(name).notIn(\(some))") { sample in
          get(sample).map { value in !some.contains { same($0, value) } }
        }
      default:
        let upper = RandomSamples.pick(values, &generator)
        return ModelPredicate(field.between(value, and: upper), "\(name).between(\(value), \(upper))") { sample in
          get(sample).map { $0.isNaN || value.isNaN || upper.isNaN ? false : !less($0, value) && !less(upper, $0) }
        }
      }
    }
    order = { generator in
      switch Int.random(in: 0..<5, using: &generator) {
      case 0:
        let places = (0..<3).map { _ in RandomSamples.pick(values, &generator) }
        let isFirst = Bool.random(using: &generator)
        return ModelOrder(
          order: isFirst ? places.firstIndex(of: field) : places.lastIndex(of: field), text: "\(places) of \(name)"
        ) { left, right in
          @Sendable func place(_ sample: Sample) -> Int {
            guard let value = get(sample) else { return -1 }
            return (isFirst ? places.firstIndex { same($0, value) } : places.lastIndex { same($0, value) }) ?? -1
          }
          return place(left) < place(right)
        }
      case 1, 2: return ModelOrder(order: field.descending, text: "\(name).descending") { sorted(get($1), get($0)) }
      default: return ModelOrder(order: field.ascending, text: "\(name).ascending") { sorted(get($0), get($1)) }
      }
    }
  }
}

/// Texts as bytes in plain Swift.
enum ModelText {
  /// Returns the bytes that a comparison is about.
  static func bytes(_ text: String, _ ignoresCase: Bool) -> [UInt8] {
    if !ignoresCase { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { Array($0.properties.lowercaseMapping.utf8) }
  }

  static func contains(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    (0...text.count).contains { text[$0...].starts(with: pattern) }
  }
}

extension DflatFriendlyValue {
  var isNaN: Bool { (self as? Double)?.isNaN ?? (self as? Float)?.isNaN ?? false }
}

/// Compares texts by their bytes.
private func same<T: DflatFriendlyValue>(_ left: T, _ right: T) -> Bool {
  if let left = left as? String, let right = right as? String { return left.utf8.elementsEqual(right.utf8) }
  return left == right
}

private func less<T: DflatFriendlyValue>(_ left: T, _ right: T) -> Bool {
  if let left = left as? String, let right = right as? String { return left.utf8.lexicographicallyPrecedes(right.utf8) }
  return left < right
}

/// Sorts null first, then values, then NaN.
private func sorted<T: DflatFriendlyValue>(_ left: T?, _ right: T?) -> Bool {
  guard let left else { return right != nil }
  guard let right else { return false }
  if left.isNaN || right.isNaN { return !left.isNaN && right.isNaN }
  return less(left, right)
}
