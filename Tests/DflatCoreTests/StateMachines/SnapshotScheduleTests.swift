import Testing

@testable import DflatCore

struct SnapshotScheduleTests {
  private func records(_ count: UInt64, after number: UInt64 = 0, size: Int) -> [CommitRecord] {
    (1...count).map { CommitRecord(number: number + $0, writer: 1, bytes: [UInt8](repeating: 0, count: size)) }
  }

  @Test("Before a snapshot can be due, the records are counted")
  func notCounting() {
    var schedule = SnapshotSchedule()
    for record in records(10, size: 100) { schedule.note(record) }
    #expect(!schedule.isDue(at: 1_000_000, limit: 1))
    let begins = schedule.begins(at: 0, limit: 1)
    #expect(begins)
    schedule.begin(after: 0, head: 4, sample: records(1, size: 10))
    schedule.end(at: 4)
    #expect(schedule.start == 0 && schedule.bytes == 40)
    let beginsAgain = schedule.begins(at: 4, limit: 40)
    #expect(!beginsAgain)
  }

  @Test("A program that ends counts the records after many of its own bytes, and one program in many else")
  func countingAtTheEnd() {
    var few = SnapshotSchedule()
    for record in records(63, size: 1_000) { few.note(record) }
    #expect(!few.countsAtTheEnd)
    var large = few
    for record in records(3, after: 64, size: 1_000) { large.note(record) }
    #expect(large.countsAtTheEnd)
    for record in records(1, after: 63, size: 1) { few.note(record) }
    #expect(few.countsAtTheEnd)
  }

  @Test("Numbers of any size in the log are counted without a trap")
  func foreignNumbers() {
    var schedule = SnapshotSchedule()
    schedule.begin(after: 0, head: .max, sample: records(1, size: 1 << 20))
    #expect(schedule.isDue(at: .max, limit: .max >> 4))
    schedule.end(at: .max)
    var later = SnapshotSchedule()
    later.begin(after: .max, head: 5, sample: [])
    #expect(!later.isDue(at: 5, limit: 1))
    later.end(at: 5)
  }

  @Test("A snapshot is due after more bytes than the limit, and after too many records")
  func due() {
    var schedule = SnapshotSchedule()
    schedule.begin(after: 10, head: 10, sample: [])
    for record in records(4, after: 10, size: 100) { schedule.note(record) }
    #expect(!schedule.isDue(at: 14, limit: 400))
    #expect(!schedule.isDue(at: 10 + SnapshotSchedule.mostRecords, limit: 400))
    #expect(schedule.isDue(at: 11 + SnapshotSchedule.mostRecords, limit: 400))
    #expect(schedule.isDue(at: 14, limit: 399))
    // One at a time.
    let attempts = (0..<2).map { _ in schedule.begins(at: 14, limit: 399) }
    #expect(attempts == [true, false])
  }

  @Test("The records that the log has already are taken for as large as those that were read")
  func sample() {
    var schedule = SnapshotSchedule()
    schedule.begin(after: 10, head: 110, sample: records(5, after: 10, size: 30))
    #expect(schedule.bytes == 3_000)
  }

  @Test("After a snapshot, the records that it doesn't cover are counted")
  func made() {
    var schedule = SnapshotSchedule()
    schedule.begin(after: 0, head: 100, sample: records(1, size: 10))
    _ = schedule.begins(at: 100, limit: 500)
    schedule.note(snapshot: 80, head: 100)
    schedule.end(at: 100)
    #expect(schedule.start == 80 && schedule.bytes == 200)
    // News from before change nothing.
    schedule.note(snapshot: 70, head: 100)
    #expect(schedule.start == 80 && schedule.bytes == 200)
    schedule.note(snapshot: 120, head: 100)
    #expect(schedule.start == 120 && schedule.bytes == 0)
  }

  @Test("After a failure, the next snapshot is due when half as much has come again")
  func failed() {
    var schedule = SnapshotSchedule()
    schedule.begin(after: 0, head: 100, sample: records(1, size: 10))
    _ = schedule.begins(at: 100, limit: 999)
    schedule.end(at: 100)
    for record in records(49, after: 100, size: 10) { schedule.note(record) }
    #expect(!schedule.isDue(at: 149, limit: 999))
    schedule.note(records(1, after: 149, size: 10)[0])
    #expect(schedule.isDue(at: 150, limit: 999))
  }
}
