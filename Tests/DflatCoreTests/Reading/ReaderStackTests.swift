import DflatSQLite
import Foundation
import TestSupport
import Testing

@testable import DflatCore

@Suite struct ReaderStackTests {
  @Test("The completion of close runs once, after the last reader is returned in any order")
  func returned() throws {
    let directory = try TemporaryDirectory("readers")
    try Files.makeDatabase(at: directory.file())
    let stack = ReaderStack(number: 0) {
      try Connection(path: directory.file(), mode: .readOnly, busyTimeout: .seconds(30))
    }
    let closed = EventLog<String>()
    let readers = try (0..<3).map { _ in try stack.take() }
    stack.close { closed.append("closed") }
    for reader in [readers[0], readers[2]] {
      stack.giveBack(reader)
      #expect(closed.events == [])
    }
    stack.giveBack(readers[1])
    #expect(closed.events == ["closed"])
    #expect(throws: WorkspaceError.self) { try stack.take() }
  }

  ///     closing:   takes the idle reader ─ disconnects it ─────────────────── ─┤ completion
  ///     another:                             └─ returns the last busy reader ─┘
  @Test("The completion of close waits for idle connections that are still disconnecting")
  func idleReadersDisconnectFirst() throws {
    let directory = try TemporaryDirectory("readers")
    try Files.makeDatabase(at: directory.file())
    let stack = ReaderStack(number: 0) {
      try Connection(path: directory.file(), mode: .readOnly, busyTimeout: .seconds(30), vfs: FaultPlan.vfsName)
    }
    let (idle, busy) = (try stack.take(), try stack.take())
    stack.giveBack(idle)
    let isDisconnecting = Gate("the idle reader is disconnecting")
    let isReturned = Gate("the busy reader is back")
    let plan = try FaultPlan(.unlock, on: .main, in: directory.path, at: .once(1)) {
      isDisconnecting.open()
      try? isReturned.wait()
      return nil
    }
    defer { plan.cancel() }
    let closed = EventLog<String>()
    let closing = BackgroundThread { stack.close { closed.append("closed") } }
    try isDisconnecting.wait()
    stack.giveBack(busy)
    #expect(closed.events == [])
    isReturned.open()
    try closing.join()
    #expect(closed.events == ["closed"])
  }

  #if os(Linux)
    @Test("A broken reader is closed when it is returned, even while references to it remain")
    func broken() throws {
      let directory = try TemporaryDirectory("readers")
      let path = directory.file()
      try Files.makeDatabase(at: path)
      func descriptors() throws -> Int {
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return all.count { number in
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))?.hasPrefix(path)
            == true
        }
      }
      let stack = ReaderStack(number: 0) { try Connection(path: path, mode: .readOnly, busyTimeout: .seconds(30)) }
      let reader = try stack.take()
      _ = try reader.renew(in: 0)
      #expect(try descriptors() > 0)
      stack.giveBack(reader, isBroken: true)
      #expect(try descriptors() == 0)
      withExtendedLifetime(reader) {}
    }
  #endif
}
