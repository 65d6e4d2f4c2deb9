import DflatEntities
import GoldenModels
import TestSupport

/// The fields of a sample for the reference model.
enum SampleFields {
  static let all: [ModelField] = scalars + texts + nested

  private static let scalars: [ModelField] = [
    ModelField("flag", Sample.flag, [true, false]) {
      $0.flag
    } more: { generator in
      generator.next() % 2 == 0 ? nil : ModelPredicate(Sample.flag, "flag") { $0.flag }
    },
    ModelField("tiny", Sample.tiny, RandomSamples.integers(Int8.self)) {
      $0.tiny
    } more: {
      arithmetic("tiny", Sample.tiny, &$0) { $0.tiny }
    },
    ModelField("unsignedTiny", Sample.unsignedTiny, RandomSamples.integers(UInt8.self)) {
      $0.unsignedTiny
    } more: {
      arithmetic("unsignedTiny", Sample.unsignedTiny, &$0) { $0.unsignedTiny }
    },
    ModelField("small", Sample.small, RandomSamples.integers(Int16.self)) {
      $0.small
    } more: {
      arithmetic("small", Sample.small, &$0) { $0.small }
    },
    ModelField("unsignedSmall", Sample.unsignedSmall, RandomSamples.integers(UInt16.self)) { $0.unsignedSmall },
    ModelField("number", Sample.number, RandomSamples.integers(Int32.self)) {
      $0.number
    } more: {
      arithmetic("number", Sample.number, &$0) { $0.number }
    },
    ModelField("unsignedNumber", Sample.unsignedNumber, RandomSamples.integers(UInt32.self)) { $0.unsignedNumber },
    ModelField("large", Sample.large, RandomSamples.integers(Int64.self)) {
      $0.large
    } more: {
      arithmetic("large", Sample.large, &$0) { $0.large }
    },
    ModelField("unsignedLarge", Sample.unsignedLarge, RandomSamples.integers(UInt64.self)) {
      $0.unsignedLarge
    } more: {
      arithmetic("unsignedLarge", Sample.unsignedLarge, &$0) { $0.unsignedLarge }
    },
    ModelField("real", Sample.real, RandomSamples.floats) {
      $0.real
    } more: { generator in
      guard generator.next() % 4 == 0 else { return nil }
      return ModelPredicate(Sample.real + 1 < Sample.real, "real + 1 < real") { $0.real + 1 < $0.real }
    },
    ModelField("precise", Sample.precise, RandomSamples.reals) { $0.precise },
    ModelField("optionalFlag", Sample.optionalFlag, [true, false]) { $0.optionalFlag },
    ModelField("optionalNumber", Sample.optionalNumber, RandomSamples.integers(Int32.self)) {
      $0.optionalNumber
    } more: {
      arithmetic("optionalNumber", Sample.optionalNumber, &$0) { $0.optionalNumber }
    },
    ModelField("optionalReal", Sample.optionalReal, RandomSamples.reals) { $0.optionalReal },
    ModelField("level", Sample.level, RandomSamples.levels) { $0.level },
    ModelField("optionalLevel", Sample.optionalLevel, RandomSamples.levels) { $0.optionalLevel },
    ModelField("wide", Sample.wide, RandomSamples.wides) { $0.wide },
    ModelField("plain", Sample.plain, [1, 2, 3]) { $0.plain },
  ]

  private static let texts: [ModelField] = [
    ModelField("id", Sample.id, RandomSamples.texts.enumerated().map { "\($1)\($0)" }) {
      $0.id
    } more: {
      textTest("id", Sample.id, &$0) { $0.id }
    },
    ModelField("text", Sample.text, RandomSamples.texts) {
      $0.text
    } more: {
      textTest("text", Sample.text, &$0) { $0.text }
    },
    ModelField("code", Sample.code, ["code1", "code2", "code3", "code50"]) { $0.code },
  ]

  private static let nested: [ModelField] = [
    ModelField("point.x", Sample.point.x, RandomSamples.floats) { $0.point?.x },
    ModelField("point.inner.a", Sample.point.inner.a, RandomSamples.integers(Int32.self)) { $0.point?.inner.a },
    ModelField("point.inner.level", Sample.point.inner.level, RandomSamples.levels) { $0.point?.inner.level },
    ModelField("point.big", Sample.point.big, RandomSamples.integers(UInt64.self)) { $0.point?.big },
    ModelField("detail.name", Sample.detail.name, RandomSamples.texts) {
      $0.detail?.name
    } more: {
      textTest("detail.name", Sample.detail.name, &$0) { $0.detail?.name }
    },
    ModelField("detail.rank", Sample.detail.rank, RandomSamples.integers(Int32.self)) { $0.detail?.rank },
    ModelField("detail.point.x", Sample.detail.point.x, RandomSamples.floats) { $0.detail?.point?.x },
    ModelField("content._type", Sample.content._type, [1, 2, 3, 4, 9]) {
      $0.content.map { Int32($0.flatBufferKind) }
    } more: {
      generator in
      generator.next() % 3 != 0
        ? nil
        : ModelPredicate(Sample.content.match(QuerySamples.TextPart.self), "match(TextPart)") { sample in
          if case .textPart? = sample.content { return true }
          return sample.content == nil ? nil : false
        }
    },
    ModelField("TextPart.text", Sample.content.as(QuerySamples.TextPart.self).text, RandomSamples.texts) {
      if case .textPart(let part)? = $0.content { part.text } else { nil }
    },
    ModelField(
      "TextPart.size", Sample.content.as(QuerySamples.TextPart.self).size, RandomSamples.integers(Int32.self)
    ) { if case .textPart(let part)? = $0.content { part.size } else { nil } },
    ModelField("Spot.x", Sample.content.as(QuerySamples.Point.self).x, RandomSamples.floats) {
      if case .spot(let point)? = $0.content { point.x } else { nil }
    },
    ModelField(
      "Spot.inner.a", Sample.content.as(QuerySamples.Point.self).inner.a, RandomSamples.integers(Int32.self)
    ) { if case .spot(let point)? = $0.content { point.inner.a } else { nil } },
    ModelField("caption", Sample.content.as(String.self), RandomSamples.texts) {
      caption(of: $0)
    } more: {
      textTest("caption", Sample.content.as(String.self), &$0, caption)
    },
    ModelField("Note.name", Sample.content.as(QuerySamples.Detail.self).name, RandomSamples.texts) {
      if case .note(let detail)? = $0.content { detail.name } else { nil }
    },
  ]

  @Sendable private static func caption(of sample: Sample) -> String? {
    if case .caption(let text)? = sample.content { text } else { nil }
  }

  private static func textTest(
    _ name: String, _ field: FieldExpr<String, Sample>, _ generator: inout SeededGenerator,
    _ get: @escaping @Sendable (Sample) -> String?
  ) -> ModelPredicate? {
    guard generator.next() % 2 == 0 else { return nil }
    let text = RandomSamples.pick(RandomSamples.texts, &generator)
    let ignoresCase = generator.next() % 2 == 0
    let arguments = "(\(text)\(ignoresCase ? ", ignoringCase" : ""))"
    func model(_ holds: @escaping @Sendable ([UInt8], [UInt8]) -> Bool) -> @Sendable (Sample) -> Bool? {
      { sample in
        get(sample).map { holds(ModelText.bytes($0, ignoresCase), ModelText.bytes(text, ignoresCase)) }
      }
    }
    switch generator.next() % 6 {
    case 0: return ModelPredicate(field.isEmpty, "\(name).isEmpty") { get($0).map { $0.utf8.isEmpty } }
    case 1:
      return ModelPredicate(field.hasPrefix(text), "\(name).hasPrefix(\(text))") { sample in
        get(sample).map { $0.utf8.starts(with: text.utf8) }
      }
    case 2:
      return ModelPredicate(
        field.hasPrefix(text, ignoringCase: ignoresCase), "\(name).hasPrefix\(arguments)", model { $0.starts(with: $1) }
      )
    case 3:
      return ModelPredicate(
        field.hasSuffix(text, ignoringCase: ignoresCase), "\(name).hasSuffix\(arguments)",
        model { $0.reversed().starts(with: $1.reversed()) })
    case 4:
      return ModelPredicate(
        field.equals(text, ignoringCase: ignoresCase), "\(name).equals\(arguments)", model { $0 == $1 })
    default:
      return ModelPredicate(
        field.contains(text, ignoringCase: ignoresCase), "\(name).contains\(arguments)",
        model { ModelText.contains($0, $1) })
    }
  }

  // MARK: Vectors

  /// Returns a condition on a vector.
  static func vectorTest(_ generator: inout SeededGenerator) -> ModelPredicate {
    switch generator.next() % 6 {
    case 0: return vectorTest("numbers", Sample.numbers, RandomSamples.integers(Int32.self), &generator) { $0.numbers }
    case 1: return vectorTest("reals", Sample.reals, RandomSamples.reals, &generator) { $0.reals }
    case 2: return vectorTest("levels", Sample.levels, RandomSamples.levels, &generator) { $0.levels }
    case 3: return textVectorTest("tags", Sample.tags, &generator) { $0.tags }
    case 4: return textVectorTest("detail.labels", Sample.detail.labels, &generator) { $0.detail?.labels }
    default:
      return textVectorTest("Note.labels", Sample.content.as(QuerySamples.Detail.self).labels, &generator) { sample in
        if case .note(let detail)? = sample.content { detail.labels } else { nil }
      }
    }
  }

  private static func vectorTest<T: DflatFriendlyValue>(
    _ name: String, _ vector: VectorExpr<T, Sample>, _ values: [T], _ generator: inout SeededGenerator,
    _ get: @escaping @Sendable (Sample) -> [T]?
  ) -> ModelPredicate {
    if generator.next() % 4 == 0 {
      return ModelPredicate(vector.isEmpty, "\(name).isEmpty") { get($0).map { $0.isEmpty } }
    }
    let value = RandomSamples.pick(values, &generator)
    return ModelPredicate(vector.contains(value), "\(name).contains(\(value))") { get($0).map { $0.contains(value) } }
  }

  private static func textVectorTest(
    _ name: String, _ vector: VectorExpr<String, Sample>, _ generator: inout SeededGenerator,
    _ get: @escaping @Sendable (Sample) -> [String]?
  ) -> ModelPredicate {
    let text = RandomSamples.pick(RandomSamples.texts, &generator)
    switch generator.next() % 4 {
    case 0: return ModelPredicate(vector.isEmpty, "\(name).isEmpty") { get($0).map { $0.isEmpty } }
    case 1:
      return ModelPredicate(vector.contains(text), "\(name).contains(\(text))") { sample in
        get(sample).map { texts in texts.contains { $0.utf8.elementsEqual(text.utf8) } }
      }
    default:
      let ignoresCase = generator.next() % 2 == 0
      return ModelPredicate(
        vector.contains(text, ignoringCase: ignoresCase), "\(name).contains(\(text), ignoringCase: \(ignoresCase))"
      ) { sample in
        get(sample).map { texts in
          texts.contains { ModelText.bytes($0, ignoresCase) == ModelText.bytes(text, ignoresCase) }
        }
      }
    }
  }

  private static func arithmetic<T: FixedWidthInteger & DflatFriendlyValue>(
    _ name: String, _ field: FieldExpr<T, Sample>, _ generator: inout SeededGenerator,
    _ get: @escaping @Sendable (Sample) -> T?
  ) -> ModelPredicate? {
    guard generator.next() % 3 == 0 else { return nil }
    let value = RandomSamples.pick(RandomSamples.integers(T.self), &generator)
    let limit = RandomSamples.pick(RandomSamples.integers(T.self), &generator)
    func model(_ operation: @escaping @Sendable (T, T) -> (partialValue: T, overflow: Bool))
      -> @Sendable (Sample) -> Bool?
    {
      { sample in
        guard let left = get(sample) else { return nil }
        let (result, overflow) = operation(left, value)
        return overflow ? nil : result > limit
      }
    }
    switch generator.next() % 3 {
    case 0:
      return ModelPredicate(
        field + value > limit, "\(name) + \(value) > \(limit)", model { $0.addingReportingOverflow($1) })
    case 1:
      return ModelPredicate(
        field - value > limit, "\(name) - \(value) > \(limit)", model { $0.subtractingReportingOverflow($1) })
    default:
      return ModelPredicate(
        field % value > limit, "\(name) % \(value) > \(limit)", model { $0.remainderReportingOverflow(dividingBy: $1) })
    }
  }
}
