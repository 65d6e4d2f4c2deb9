/// The time of an operation by the number of keys in the file.
struct Growth: Codable, Equatable {
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
  var series: [Series]
}
