/// The time of an operation by the number of keys, or of objects, in the file.
struct Growth: Codable, Equatable {
  enum Subject: String, Codable {
    case keys
    case objects
  }

  struct Point: Codable, Equatable {
    var count: Int
    /// The time of one operation.
    var nanoseconds: Double
  }

  struct Series: Codable, Equatable {
    var name: String
    var points: [Point]
  }

  var id: String
  var title: String
  var subject: Subject
  var series: [Series]
}
