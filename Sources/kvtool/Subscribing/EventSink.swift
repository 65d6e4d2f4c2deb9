import DflatKV

/// Prints events and runs the hook for each, until the limit is reached or the reader closes standard output.
///
/// The caller delivers one event at a time, and never waits for the output or the hook; `end` guards the line count.
final class EventSink: Sendable {
  private let formatter: EventFormatter
  private let hook: ShellHook?
  private let limit: Int?
  private let end: SubscriptionEnd
  private let output: OutputThread<WaitingEvents>

  init(
    formatter: EventFormatter, hook: ShellHook?, limit: Int?, end: SubscriptionEnd,
    waiting: WaitingEvents = WaitingEvents()
  ) {
    self.formatter = formatter
    self.hook = hook
    self.limit = limit
    self.end = end
    output = OutputThread(waiting)
    if limit == 0 {
      end.reach(.done)
    }
  }

  func receive(_ record: ValueRecord) {
    if end.isReached { return }
    output.add({ $0.append(record) }, print: { [self] in show($0) })
  }

  /// Waits until the event that is being printed is, and its command has ended. Call it after the end, once.
  func finish() { output.finish() }

  private func show(_ item: WaitingEvents.Item) {
    guard !end.isReached else {
      return
    }
    if item.skippedCount > 0 {
      let changes = item.skippedCount == 1 ? "1 change" : "\(item.skippedCount) changes"
      StandardError.write(
        message: "left out \(changes) of keys with newer ones, which nobody was reading or --exec took too long for")
    }
    let record = item.record
    do {
      guard let line = try formatter.line(record) else {
        return
      }
      try StandardOutput.write(line: line)
      if let hook {
        do { try end.lettingFinish { try hook.run(record) } } catch let failure as ValueFailure {
          report(failure, record)
        }
      }
      if end.countLine() == limit {
        end.reach(.done)
      }
    } catch let error as ToolError {
      end.reach(.failed(error))
    } catch let failure as ValueFailure {
      report(failure, record)
    } catch {
      end.reach(.done)
    }
  }

  /// Reports a value that can't be printed or passed on. It doesn't end the subscription to the other keys.
  private func report(_ failure: ValueFailure, _ record: ValueRecord) {
    StandardError.write(message: failure.toolError(key: record.key).message)
  }
}
