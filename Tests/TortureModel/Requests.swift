import Foundation

/// A request to a process of a program.
enum Request: Sendable {
  /// Asks for keys that collide in that process.
  case colliding
  case begin(Opening)
  /// A step of the program, by its index.
  case planned(Int)
  /// A step without operations, which may be the runner's own.
  case upkeep(Step)
  /// Closes all workspaces of the process.
  case end

  /// The program to begin.
  struct Opening: Sendable {
    var folder: String
    var source: Source
    var colliding: [String]

    init(_ program: Program, in folder: String, colliding: [String]) throws {
      self.folder = folder
      source =
        try program.seed.map { .seed($0) } ?? .text(String(decoding: JSONEncoder().encode(program), as: UTF8.self))
      self.colliding = colliding
    }

    var program: Program {
      get throws {
        switch source {
        case .seed(let seed):
          var generator = ProgramGenerator(seed: seed)
          return generator.program()
        case .text(let text): return try JSONDecoder().decode(Program.self, from: Data(text.utf8))
        }
      }
    }
  }

  /// Most programs are generated once more in each process, which is faster than decoding them.
  enum Source: Sendable {
    case seed(UInt64)
    case text(String)
  }
}

indirect enum Reply: Sendable {
  case text(String)
  case list([Reply])

  var text: String {
    switch self {
    case .text(let text): text
    case .list(let replies): "[\(replies.map(\.text).joined(separator: ", "))]"
    }
  }
}

struct Answer: Sendable {
  var reply: Reply
  /// Events that observers received since the last settling.
  var events: [Int: [String]] = [:]
  /// Errors that the error handler received.
  var reports: [String] = []
  var commitNumber: UInt64 = 0
  var colliding: [String] = []
}

// MARK: As messages

extension Request {
  init(from message: consuming Message) throws {
    switch message.byte() {
    case 0: self = .colliding
    case 1: self = .begin(Opening(from: &message))
    case 2: self = .planned(message.integer())
    case 3: self = .upkeep(Step(slot: message.integer(), action: Step.Action(upkeep: message.integer())))
    default: self = .end
    }
  }

  var message: Message {
    var message = Message()
    switch self {
    case .colliding: message.append(byte: 0)
    case .begin(let opening):
      message.append(byte: 1)
      opening.append(to: &message)
    case .planned(let place):
      message.append(byte: 2)
      message.append(place)
    case .upkeep(let step):
      message.append(byte: 3)
      message.append(step.slot)
      message.append(step.action.upkeep ?? 0)
    case .end: message.append(byte: 4)
    }
    return message
  }
}

extension Request.Opening {
  fileprivate init(from message: inout Message) {
    folder = message.text()
    source = message.byte() == 0 ? .seed(UInt64(bitPattern: Int64(message.integer()))) : .text(message.text())
    colliding = message.texts()
  }

  fileprivate func append(to message: inout Message) {
    message.append(folder)
    switch source {
    case .seed(let seed):
      message.append(byte: 0)
      message.append(Int(truncatingIfNeeded: seed))
    case .text(let text):
      message.append(byte: 1)
      message.append(text)
    }
    message.append(colliding)
  }
}

extension Step.Action {
  /// A number for each action without operations.
  var upkeep: Int? {
    switch self {
    case .settle: 0
    case .catchUp: 1
    case .open: 2
    case .close(let flags): 3 + flags
    case .run, .burst: nil
    }
  }

  init(upkeep number: Int) {
    switch number {
    case 0: self = .settle
    case 1: self = .catchUp
    case 2: self = .open
    default: self = .close(flags: number - 3)
    }
  }
}

extension Answer {
  init(from message: consuming Message) {
    reply = Reply(from: &message)
    for _ in 0..<message.integer() {
      let id = message.integer()
      events[id] = message.texts()
    }
    reports = message.texts()
    commitNumber = UInt64(bitPattern: Int64(message.integer()))
    colliding = message.texts()
  }

  var message: Message {
    var message = Message()
    reply.append(to: &message)
    message.append(events.count)
    for (id, events) in events {
      message.append(id)
      message.append(events)
    }
    message.append(reports)
    message.append(Int(truncatingIfNeeded: commitNumber))
    message.append(colliding)
    return message
  }
}

extension Reply {
  fileprivate init(from message: inout Message) {
    if message.byte() == 0 {
      self = .text(message.text())
    } else {
      self = .list((0..<message.integer()).map { _ in Reply(from: &message) })
    }
  }

  fileprivate func append(to message: inout Message) {
    switch self {
    case .text(let text):
      message.append(byte: 0)
      message.append(text)
    case .list(let replies):
      message.append(byte: 1)
      message.append(replies.count)
      for reply in replies { reply.append(to: &message) }
    }
  }
}
