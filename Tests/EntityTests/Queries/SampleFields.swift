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
      prefix("id", Sample.id, &$0) { $0.id }
    },
    ModelField("text", Sample.text, RandomSamples.texts) {
      $0.text
    } more: {
      prefix("text", Sample.text, &$0) { $0.text }
    },
    ModelField("code", Sample.code, ["code1", "code2", "code3", "code50"]) { $0.code },
  ]

  private static let nested: [ModelField] = [
    ModelField("point.x", Sample.point.x, RandomSamples.floats) { $0.point?.x },
    ModelField("point.inner.a", Sample.point.inner.a, RandomSamples.integers(Int32.self)) { $0.point?.inner.a },
    ModelField("point.inner.level", Sample.point.inner.level, RandomSamples.levels) { $0.point?.inner.level },
    ModelField("point.big", Sample.point.big, RandomSamples.integers(UInt64.self)) { $0.point?.big },
    ModelField("detail.name", Sample.detail.name, RandomSamples.texts) { $0.detail?.name },
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
      if case .caption(let text)? = $0.content { text } else { nil }
    },
    ModelField("Note.name", Sample.content.as(QuerySamples.Detail.self).name, RandomSamples.texts) {
      if case .note(let detail)? = $0.content { detail.name } else { nil }
    },
  ]

  private static func prefix(
    _ name: String, _ field: FieldExpr<String, Sample>, _ generator: inout SeededGenerator,
    _ get: @escaping @Sendable (Sample) -> String?
  ) -> ModelPredicate? {
    guard generator.next() % 3 == 0 else { return nil }
    let prefix = RandomSamples.pick(RandomSamples.texts, &generator)
    return ModelPredicate(field.hasPrefix(prefix), "\(name).hasPrefix(\(prefix))") { sample in
      get(sample).map { $0.utf8.starts(with: prefix.utf8) }
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
