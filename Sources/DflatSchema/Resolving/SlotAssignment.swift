/// Assigns the slots of a table's fields: by `id` if the fields have one, otherwise in the order of declaration.
struct SlotAssignment {
  struct Request {
    /// The index of the field in its table.
    let field: Int
    /// True for a union, whose kind takes the number before its own.
    let takesTwo: Bool
    let id: Int128?
    /// The position in the text, for errors.
    let position: Int
    let name: String
  }

  struct Problem {
    let position: Int
    let message: String
    let advice: String
  }

  /// True if a field's type is unknown. The field may take one slot or two.
  var hasUnknown = false
  private var requests: [Request] = []

  /// The maximum number of slots. The size of a vtable in bytes, including its first two entries, is a 16-bit number.
  private static let maximumCount = 32_765

  mutating func add(_ request: Request) { requests.append(request) }

  /// Returns the number of each field's value, from 0, with the index of the field.
  func assigned() -> (numbers: [(field: Int, number: Int)], problems: [Problem]) {
    let withID = requests.filter { $0.id != nil }
    if withID.isEmpty { return inOrder() }
    if let without = requests.first(where: { $0.id == nil }) {
      let advice = "give an 'id' to every field of the table, or to none"
      let problem = Problem(position: without.position, message: "'\(without.name)' has no 'id'", advice: advice)
      return (inOrder().numbers, [problem])
    }
    return byID(withID)
  }

  private func inOrder() -> (numbers: [(field: Int, number: Int)], problems: [Problem]) {
    var next = 0
    var numbers: [(field: Int, number: Int)] = []
    for request in requests {
      let number = next + (request.takesTwo ? 1 : 0)
      guard number < Self.maximumCount else { return (numbers, [tooMany(request)]) }
      numbers.append((request.field, number))
      next = number + 1
    }
    return (numbers, [])
  }

  private func byID(_ requests: [Request]) -> (numbers: [(field: Int, number: Int)], problems: [Problem]) {
    var numbers: [(field: Int, number: Int)] = []
    var problems: [Problem] = []
    var next: Int128 = 0
    let sorted = requests.enumerated().sorted { ($0.element.id ?? 0, $0.offset) < ($1.element.id ?? 0, $1.offset) }
    for (_, request) in sorted {
      let id = request.id ?? 0
      let expected = next + (request.takesTwo ? 1 : 0)
      if id == expected {
        guard id < Self.maximumCount else { return (numbers, problems + [tooMany(request)]) }
        numbers.append((request.field, Int(id)))
        next = id + 1
        continue
      }
      problems.append(problem(request, id: id, next: next, expected: expected))
      // Report each gap once.
      next = max(next, id < Int128(Self.maximumCount) ? id + 1 : next)
    }
    return (numbers, problems)
  }

  private func problem(_ request: Request, id: Int128, next: Int128, expected: Int128) -> Problem {
    let message: String
    if id < 0 {
      message = "'\(request.name)' has a negative id"
    } else if id < next {
      message = "'\(request.name)' has the id \(id), which another field already has"
    } else if request.takesTwo && id == next {
      message = "the union '\(request.name)' has the id \(id), which its kind needs"
    } else {
      message = "no field has the id \(next)"
    }
    return Problem(
      position: request.position, message: message,
      advice: request.takesTwo
        ? "write 'id: \(expected)'; a union takes two ids, the first for its kind"
        : "write 'id: \(expected)'; ids count from 0 without gaps")
  }

  private func tooMany(_ request: Request) -> Problem {
    Problem(
      position: request.position, message: "a table can't have more than \(Self.maximumCount) fields",
      advice: "put some of them into a table of their own")
  }
}
