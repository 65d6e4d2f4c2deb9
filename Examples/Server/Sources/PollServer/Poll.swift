import DflatKV
import Hummingbird

extension DictionaryKeys {
  static let poll = DictionaryKey("poll", default: Poll())
}

/// The poll's settings, one value of the dictionary.
struct Poll: Codable, Equatable, Sendable {
  var question = "Tea or coffee?"
  var choices = ["tea", "coffee"]
  var isOpen = true
}

/// Everything that a page shows. All of it belongs to one commit.
struct Standing: ResponseEncodable, Equatable, Sendable {
  struct Count: Codable, Equatable, Sendable {
    let choice: String
    let votes: Int
  }

  let question: String
  let isOpen: Bool
  let counts: [Count]

  init(_ dictionary: WorkspaceDictionary) {
    let poll = dictionary[.poll]
    let votes = dictionary.namespace("votes")
    question = poll.question
    isOpen = poll.isOpen
    counts = poll.choices.map { Count(choice: $0, votes: votes[$0, default: 0]) }
  }
}
