/// One line of the report.
struct Row: Codable, Equatable {
  enum Unit: String, Codable {
    case ratio, bytes, milliseconds, seconds
  }

  enum Verdict: String, Codable {
    case met, missed, informs
  }

  var id: String
  var title: String
  var baseline: String
  var unit: Unit
  var measured: Double
  var lowerQuartile: Double?
  var upperQuartile: Double?
  var limit: Double?
  var rounds: Int
  var workloadSeconds: Double?
  var baselineSeconds: Double?
  var note: String?

  var verdict: Verdict {
    guard let limit else { return .informs }
    return measured <= limit ? .met : .missed
  }
}
