import Testing

@testable import TortureModel

/// The programs of the model machine, and their transfer to the processes that run them.
@Suite struct ModelProgramTests {
  private func program(_ seed: UInt64) -> Program {
    var generator = ProgramGenerator(seed: seed)
    return generator.program()
  }

  private func received(_ program: Program) throws -> Program? {
    let request = Request.begin(try Request.Opening(program, in: "folder", colliding: ["a", "b"]))
    guard case .begin(let opening) = try Request(from: Message(request.message.bytes)) else { return nil }
    #expect(opening.folder == "folder" && opening.colliding == ["a", "b"])
    return try opening.program
  }

  @Test("A process receives the same program as the runner, whole or shrunk")
  func opening() throws {
    for seed in [1, 2, .max] as [UInt64] {
      var program = program(seed)
      #expect(try received(program)?.printed == program.printed)
      program.steps.removeFirst()
      #expect(try received(program)?.printed == program.printed)
      program.steps[0].slot = 0
      #expect(try received(program)?.printed == program.printed)
    }
  }

  @Test("Requests and answers arrive as they were sent")
  func messages() throws {
    for action in [.settle, .catchUp, .open, .close(flags: 0), .close(flags: 3)] as [Step.Action] {
      let request = Request.upkeep(Step(slot: 3, action: action))
      if case .upkeep(let step) = try Request(from: request.message) {
        #expect(step.printed == Step(slot: 3, action: action).printed)
      } else {
        Issue.record("\(action) arrives as another request")
      }
    }
    if case .planned(let place) = try Request(from: Request.planned(70_000).message) {
      #expect(place == 70_000)
    } else {
      Issue.record("A planned step arrives as another request")
    }
    var answer = Answer(reply: .list([.text("é\u{0}"), .list([]), .list([.text(""), .text("b")])]))
    answer.events = [9: ["a", "b"], 0: []]
    answer.reports = ["busy"]
    answer.commitNumber = .max
    answer.colliding = ["c"]
    let received = Answer(from: Message(answer.message.bytes))
    #expect(received.reply.text == answer.reply.text && received.events == answer.events)
    #expect(received.reports == ["busy"] && received.commitNumber == .max && received.colliding == ["c"])
  }

  @Test("Programs observe closures, use typed keys and replaced values, and aggregate, in transactions and outside")
  func operations() {
    var found: Set<String> = []
    func note(_ operation: TortureModel.Operation, _ role: String) {
      switch operation {
      case .observe(_, .closure): found.insert("closure")
      case .typedUse: found.insert("typed key\(role)")
      case .replaced(.list): found.insert("list\(role)")
      case .replaced(.restore): found.insert("restoration\(role)")
      case .replaced(.remove): found.insert("removal\(role)")
      case .aggregate: found.insert("aggregate\(role)")
      case .post(.fetch(let query)) where query.images != nil: found.insert("images\(role)")
      default: break
      }
      var inner = role
      if case .transact = operation { inner = " in a transaction" }
      for operation in operation.body { note(operation, inner) }
    }
    for seed in 1...100 {
      for step in program(UInt64(seed)).steps { if case .run(let operation) = step.action { note(operation, "") } }
    }
    for kind in ["typed key", "list", "restoration", "removal", "aggregate", "images"] {
      for role in ["", " in a transaction"] { #expect(found.contains(kind + role), "\(kind)\(role)") }
    }
    #expect(found.contains("closure"))
  }

  @Test("Only the last of several queued transactions writes in another workspace of its file")
  func queuedTransactions() {
    var (uses, writes) = (0, 0)
    for seed in 1...400 {
      let program = program(UInt64(seed))
      for step in program.steps {
        guard case .run(.batch(let members)) = step.action else { continue }
        /// The operations that these do in other workspaces of the file.
        func elsewhere(_ operations: [TortureModel.Operation]) -> [TortureModel.Operation] {
          operations.flatMap { operation -> [TortureModel.Operation] in
            guard case .elsewhere(let other, let body) = operation,
              program.slots[other].file == program.slots[step.slot].file
            else { return [] }
            return body
          }
        }
        let earlier = elsewhere(members.dropLast().flatMap(\.body))
        #expect(!earlier.contains { $0.isWrite }, "seed \(seed): \(step.printed)")
        uses += earlier.count
        writes += elsewhere(members.last?.body ?? []).count(where: \.isWrite)
      }
    }
    // Some earlier transactions use another workspace of the file, and some last ones write in it.
    #expect(uses > 0 && writes > 0, "\(uses) and \(writes)")
  }
}

extension TortureModel.Operation {
  fileprivate var isWrite: Bool {
    switch self {
    case .get, .getInteger, .contains, .keys, .count, .entries, .namespaces, .fetch, .tally, .aggregate: false
    default: true
    }
  }
}
