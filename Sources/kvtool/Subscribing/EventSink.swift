import DflatKV

/// Prints events and runs the hook for each, until the limit is reached or the reader closes standard output.
///
/// The caller delivers one event at a time; `end` guards the line count.
final class EventSink: Sendable {
  private let formatter: EventFormatter
  private let hook: ShellHook?
  private let limit: Int?
  private let end: SubscriptionEnd

  init(formatter: EventFormatter, hook: ShellHook?, limit: Int?, end: SubscriptionEnd) {
    self.formatter = formatter
    self.hook = hook
    self.limit = limit
    self.end = end
    if limit == 0 {
      end.reach(.done)
    }
  }

  func receive(_ record: ValueRecord) {
    guard !end.isReached else {
      return
    }
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
