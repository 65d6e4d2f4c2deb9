/// Checks that subscriptions received the versions that each transaction left: in order, once, and before the
/// completion of that transaction.
struct OrderedObservers {
  private struct Stream: Hashable {
    var process: Int
    var observer: Int
    var key: Int
  }

  /// The last delivery to a subscription.
  private struct Last {
    /// The index of the key's version, or -1 if the key was absent from the beginning; nil if the version is not known.
    var place: Int?
  }

  private var last: [Stream: Last] = [:]
  private var results: [Stream: (selection: OrderedHistory.Selection, position: Int, found: [OrderedHistory.Found])] =
    [:]
  private var changes: [OrderedHistory.Selection: [Int]] = [:]
  private let history: OrderedHistory

  static func check(_ judge: inout OrderedJudge) {
    var observers = OrderedObservers(history: judge.history)
    for observation in judge.history.observations { observers.check(observation, &judge) }
    observers.checkEnds(&judge)
  }

  private init(history: OrderedHistory) { self.history = history }

  private func note(
    _ kind: OrderedAnomaly.Kind, _ about: OrderedHistory.Observation, _ judge: inout OrderedJudge, _ words: String = ""
  ) {
    judge.note(
      kind, at: about.time,
      "subscription \(about.observer) of process \(about.process) at \(about.time): \(about.content) \(words)")
  }

  private mutating func check(_ about: OrderedHistory.Observation, _ judge: inout OrderedJudge) {
    switch about.content {
    case .initial(let key, let value):
      guard let place = place(of: value, key, after: nil, judge) else { return note(.observerDirty, about, &judge) }
      last[stream(about, key)] = Last(place: value == 0 ? nil : place)
    case .key(let key, let value): check(about, key, value, &judge)
    case .result(let selection, let found): check(about, selection, found, &judge)
    }
  }

  private func stream(_ about: OrderedHistory.Observation, _ key: Int) -> Stream {
    Stream(process: about.process, observer: about.observer, key: key)
  }

  /// Returns the index of a value among the key's versions. For an absent key, it is the first absence after another
  /// index.
  private func place(of value: Int, _ key: Int, after other: Int?, _ judge: OrderedJudge) -> Int? {
    let versions = judge.timeline.versions[key] ?? []
    guard value == 0 else {
      guard judge.defect(of: value) == nil, let writer = judge.writers[value] else { return nil }
      let position = judge.acts[writer.act].position + 1
      let place = judge.timeline.place(of: key, at: position)
      return place.flatMap { versions[$0].value == value ? $0 : nil }
    }
    guard let other else { return -1 }
    return versions.indices.first { $0 > other && versions[$0].value == 0 }
  }

  private mutating func check(
    _ about: OrderedHistory.Observation, _ key: Int, _ value: Int, _ judge: inout OrderedJudge
  ) {
    let stream = stream(about, key)
    let before = last[stream]?.place
    // The first delivery may be a deletion, whose version is not known.
    if value == 0, before == nil { return }
    guard let place = place(of: value, key, after: before, judge) else {
      return note(.observerDirty, about, &judge)
    }
    last[stream] = Last(place: place)
    let versions = judge.timeline.versions[key] ?? []
    let writer = judge.acts[judge.live[versions[place].position - 1]]
    if writer.step.process == about.process, writer.step.completed < about.time {
      note(.observerLate, about, &judge, history.describe(writer.step))
    }
    guard let before else { return }
    if place <= before { return note(.observerOrder, about, &judge, "after \(versions[before].value)") }
    for missed in versions[before + 1..<place] {
      // Two deletions can't be told apart if values between them may be skipped.
      if history.mayPassOver, missed.value == 0 { continue }
      let step = judge.acts[judge.live[missed.position - 1]].step
      if !history.mayPassOver || step.process == about.process {
        return note(.observerGap, about, &judge, "\(missed.value) was not told: \(history.describe(step))")
      }
    }
  }

  /// Results have to come in the order of the states that they show.
  private mutating func check(
    _ about: OrderedHistory.Observation, _ selection: OrderedHistory.Selection, _ found: [OrderedHistory.Found],
    _ judge: inout OrderedJudge
  ) {
    let stream = stream(about, -1)
    let before = results[stream]?.position ?? 0
    if let last = results[stream], last.found == found { return note(.observerOrder, about, &judge, "again") }
    let all = changes[selection] ?? judge.timeline.changes(of: selection)
    changes[selection] = all
    for position in [before] + all.drop(while: { $0 <= before }) {
      let state = OrderedState(history: history) { [timeline = judge.timeline] in
        timeline.version(of: $0, at: position)
      }
      guard state.found(selection) == found else { continue }
      results[stream] = (selection, position, found)
      return
    }
    let known = found.allSatisfy { judge.defect(of: $0.value) == nil }
    note(known ? .observerOrder : .observerDirty, about, &judge)
  }

  // MARK: The end

  /// Subscriptions that received everything have to know each version up to the last transaction of their process.
  private func checkEnds(_ judge: inout OrderedJudge) {
    var ends: [Int: Int] = [:]
    for act in judge.acts where act.isLive && history.drained.contains(act.step.process) {
      ends[act.step.process] = act.position + 1
    }
    for (stream, last) in last {
      guard let end = ends[stream.process], let told = last.place else { continue }
      let versions = judge.timeline.versions[stream.key] ?? []
      guard let newest = judge.timeline.place(of: stream.key, at: end), told < newest,
        (told < 0 ? 0 : versions[told].value) != versions[newest].value
      else { continue }
      judge.note(
        .observerLost, at: .max,
        "subscription \(stream.observer) of process \(stream.process) was told k\(stream.key) = "
          + "\(told < 0 ? 0 : versions[told].value) at last, and it is \(versions[newest].value)")
    }
    for (stream, result) in results {
      guard let end = ends[stream.process] else { continue }
      let state = OrderedState(history: history) { [timeline = judge.timeline] in timeline.version(of: $0, at: end) }
      guard state.found(result.selection) != result.found, result.position < end else { continue }
      // The position is the earliest at which the result fits. It may have been told at a later one.
      let isLater = (changes[result.selection] ?? []).contains { position in
        let later = OrderedState(history: history) { [timeline = judge.timeline] in
          timeline.version(of: $0, at: position)
        }
        return position > end && later.found(result.selection) == result.found
      }
      if isLater { continue }
      judge.note(
        .observerLost, at: .max,
        "subscription \(stream.observer) of process \(stream.process) was told \(OrderedHistory.text(result.found)) "
          + "at last, and there is \(OrderedHistory.text(state.found(result.selection)))")
    }
  }
}

extension OrderedHistory {
  /// Returns the behaviors that no strictly serializable execution shows, in the order in which they were seen; a
  /// strictly serializable history has none. The time is about linear.
  package func anomalies() -> [OrderedAnomaly] {
    var judge = OrderedJudge(self)
    OrderedReads.check(&judge)
    OrderedSwaps.check(&judge)
    OrderedObservers.check(&judge)
    return judge.found.sorted { $0.time < $1.time }
  }
}
