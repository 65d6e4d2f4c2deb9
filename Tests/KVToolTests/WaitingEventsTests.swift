import DflatKV
import Foundation
import TestSupport
import Testing

@testable import kvtool

private func event(_ key: String, _ text: String, _ commit: UInt64) -> ValueRecord {
  ValueRecord(event: .updated, key: key, namespace: "", value: .string(text), commitNumber: commit)
}

/// Events that nobody takes yet.
@Suite(.timeLimit(.minutes(15))) struct WaitingEventsTests {
  /// Takes all events. Returns the texts of their values, and the number of those that were left out.
  private static func all(_ waiting: inout WaitingEvents) -> (texts: [String], skippedCount: Int) {
    var (texts, skippedCount): ([String], Int) = ([], 0)
    while let item = waiting.next() {
      if case .string(let text)? = item.record.value { texts.append(item.record.key + text) }
      skippedCount += item.skippedCount
    }
    return (texts, skippedCount)
  }

  @Test("Up to a size, all events wait, in their order") func keepsAll() {
    var waiting = WaitingEvents(capacity: 10_000)
    for number: UInt64 in 1...20 { waiting.append(event("k", "\(number)", number)) }
    #expect(waiting.next()?.record.commitNumber == 1)
    waiting.append(event("k", "21", 21))
    let rest = Self.all(&waiting)
    #expect(rest.texts == (2...21).map { "k\($0)" } && rest.skippedCount == 0)
  }

  @Test("Beyond it, the newest event of each key waits, in their order, and the others are counted") func keepsNewest()
  {
    var waiting = WaitingEvents(capacity: 10_000)
    waiting.append(event("c", "0", 1))
    let text = String(repeating: "x", count: 1_000)
    for number: UInt64 in 2...201 { waiting.append(event(number % 2 == 0 ? "a" : "b", "\(number)\(text)", number)) }
    let rest = Self.all(&waiting)
    #expect(rest.texts.count <= 10)
    #expect(rest.texts.first == "c0")
    #expect(rest.texts.suffix(2) == ["a200\(text)", "b201\(text)"])
    #expect(rest.texts.count + rest.skippedCount == 201)
    #expect(waiting.next() == nil)
    // Once they are taken, all wait again.
    for number: UInt64 in 1...5 { waiting.append(event("a", "\(number)", number)) }
    #expect(Self.all(&waiting).texts.count == 5)
  }

  @Test("Keys are told apart by their bytes, and the newest events of more than the size all wait") func manyKeys() {
    var waiting = WaitingEvents(capacity: 1_000)
    let keys = ["\u{e9}", "e\u{301}"] + (0..<100).map { "k\($0)" }
    for _ in 0..<10 { for key in keys { waiting.append(event(key, "", 1)) } }
    let rest = Self.all(&waiting)
    #expect(Set(rest.texts.map { Array($0.utf8) }).count == keys.count)
    #expect(rest.texts.count <= 3 * keys.count)
    #expect(rest.texts.count + rest.skippedCount == 10 * keys.count)
  }

  @Test("A command that takes long keeps nobody waiting, and what it leaves out is reported") func slowCommand()
    async throws
  {
    let result = await #expect(
      processExitsWith: .exitCode(0), observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let folder = try TemporaryDirectory("kvtool")
      let gate = folder.file("gate")
      guard mkfifo(gate, 0o600) == 0 else { exit(2) }
      let command = "if [ $KVTOOL_KEY = first ]; then read _ < '\(gate)'; fi"
      let sink = EventSink(
        formatter: EventFormatter(.auto, isTerminal: false), hook: ShellHook(command: command), limit: nil,
        end: SubscriptionEnd(), waiting: WaitingEvents(capacity: 1_000))
      sink.receive(event("first", "0", 1))
      for number: UInt64 in 1...100 { sink.receive(event("k", "\(number)", number)) }
      // Waits until the command of the first event reads.
      FileHandle(forWritingAtPath: gate)?.write(Data("\n".utf8))
      sink.finish()
    }
    let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
    let events = lines.filter { $0.hasPrefix("first = ") || $0.hasPrefix("k = ") }
    #expect(events.first == "first = 0" && events.last == "k = 100" && events.count < 20, "\(lines)")
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let skipped = errors.matches(of: /left out (\d+) change/).compactMap { Int($0.output.1) }
    #expect(skipped.reduce(0, +) == 101 - events.count, "\(errors)")
  }
}
