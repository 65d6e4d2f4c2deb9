import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

@Suite struct ChangeRecordTests {
  private let names = ["", "settings", "e\u{301}\0"]

  private func encode(_ members: [[DflatKV.Operation]]) -> [UInt8] {
    ChangeRecord.encode(members.map { $0[...] }) { names[Int($0)] }
  }

  private func decode(_ bytes: [UInt8]) -> [[String]]? {
    ChangeRecord.decode(RecordReader(bytes))?.map { member in
      member.map { change in
        switch change {
        case .set(let namespace, let key, let value): "set \(namespace)/\(key) \(value.stored.map { "\($0)" } ?? "-")"
        case .remove(let namespace, let key): "remove \(namespace)/\(key)"
        case .expire(let namespace, let key): "expire \(namespace)/\(key)"
        case .reload(let namespace, let key): "reload \(namespace)/\(key)"
        case .removePrefix(let namespace, let prefix): "clear \(namespace)/\(prefix)"
        case .unknown(let namespace): "unknown \(namespace)"
        }
      }
    }
  }

  private func key(_ string: String, _ namespace: UInt32 = 0) -> HashedKey { HashedKey(string, namespace: namespace) }

  @Test("A change record preserves values of every kind") func roundTrip() {
    let values: [StoredValue] = [
      .bool(true), .bool(false), .int(.min), .int(.max), .int(0), .uint(.max), .uint(0), .float(-0.0),
      .float(.infinity),
      .double(.leastNonzeroMagnitude), .string(""), .string("a\0é"), .data(Data()), .data(Data([0, 255])),
      .propertyList(Data([1, 2])), .flatBuffers(Data([3]), schemaVersion: nil),
      .flatBuffers(Data(), schemaVersion: "1"), .sealed(.envelope), .sealed(Data()),
    ]
    for value in values {
      let record = encode([[.set(key("k\0", 2), CachedValue(value))]])
      #expect(decode(record) == [["set e\u{301}\0/k\0 \(value)"]])
      // The description of data is its size.
      guard case .set(_, _, let decoded)? = ChangeRecord.decode(RecordReader(record))?.first?.first else {
        Issue.record("The record doesn't set \(value)")
        continue
      }
      #expect(decoded.isIdentical(to: CachedValue(value)), "\(value)")
      // The same value, which expires.
      let expiring = CachedValue(value).expiring(at: Expiration(milliseconds: 1_800_000_000_123))
      let other = encode([[.set(key("k"), expiring)]])
      guard case .set(_, _, let decoded)? = ChangeRecord.decode(RecordReader(other))?.first?.first else {
        Issue.record("The record doesn't set \(value), which expires")
        continue
      }
      #expect(decoded.isIdentical(to: expiring), "\(value)")
      #expect(!decoded.isIdentical(to: CachedValue(value)))
    }
    #expect(decode(encode([[.expire(key("k", 1))]])) == [["expire settings/k"]])
    let number = Double(nan: 0x123, signaling: false)
    guard
      case .set(_, _, .double(let decoded))? = ChangeRecord.decode(
        RecordReader(encode([[.set(key("k"), .double(number))]])))?.first?.first
    else {
      Issue.record("The record has no double")
      return
    }
    #expect(decoded.bitPattern == number.bitPattern)
  }

  @Test("A change record preserves changes of every kind, with their namespaces and keys") func everyChange() {
    let range = PrefixRange(namespace: 2, prefix: "p\0")
    let changes: [(DflatKV.Operation, String)] = [
      (.removePrefix(range), "clear e\u{301}\0/p\0"),
      (.removePrefix(PrefixRange(namespace: 0, prefix: "")), "clear /"),
      (.set(key("k\0", 1), .int(7)), "set settings/k\0 int(7)"),
      (.set(key("k\0", 2), .absent), "remove e\u{301}\0/k\0"),
      // The value of a key that a removal spares isn't part of the record.
      (.keep(key("k\0", 1), .int(7)), "reload settings/k\0"), (.keep(key("", 0), nil), "reload /"),
    ]
    for (change, decoded) in changes { #expect(decode(encode([[change]])) == [[decoded]]) }
    #expect(decode(encode([changes.map(\.0)])) == [changes.map(\.1)])
  }

  @Test("A change record keeps transactions apart and in order") func members() {
    let members: [[DflatKV.Operation]] = [
      [.removePrefix(PrefixRange(namespace: 1, prefix: "a")), .set(key("a1", 1), .int(1))],
      [.set(key(""), .absent)],
      [.set(key("x"), .bool(true)), .set(key("y"), .absent)],
    ]
    #expect(
      decode(encode(members)) == [
        ["clear settings/a", "set settings/a1 int(1)"], ["remove /"], ["set /x bool(true)", "remove /y"],
      ])
    #expect(decode(encode([])) == [[]])
  }

  @Test("A change record names large values, keys of large commits, and namespaces of huge ones") func degrades() {
    let long = CachedValue(.string(String(repeating: "x", count: ChangeRecord.inlineLimit + 1)))
    #expect(decode(encode([[.set(key("k"), long), .set(key("l"), .int(1))]])) == [["reload /k", "set /l int(1)"]])
    let limit = CachedValue(.data(Data(count: ChangeRecord.inlineLimit)))
    let many: [DflatKV.Operation] = (0..<20).map { .set(key("\($0)"), limit) }
    #expect(decode(encode([many])) == [(0..<20).map { "reload /\($0)" }])
    let huge: [[DflatKV.Operation]] = (0..<2_000).map { [.set(key("key\($0)", UInt32($0 % 3)), .int(1))] }
    #expect(decode(encode(huge)) == [["unknown ", "unknown settings", "unknown e\u{301}\0"]])
    for record in [encode([many]), encode(huge)] { #expect(record.count <= ChangeRecord.capacity) }
  }

  @Test("A9: A commit to thousands of namespaces has a bounded record that other processes follow")
  func manyNamespaces() throws {
    let members: [[DflatKV.Operation]] = [(0..<2_000).map { .set(key("k", $0), .int(1)) }]
    let record = ChangeRecord.encode(members.map { $0[...] }) { "namespace\($0)" }
    #expect(record.count <= ChangeRecord.capacity)
    let isUnknown = ChangeRecord.decode(RecordReader(record)) == nil
    #expect(isUnknown)
    let test = try TestWorkspace()
    test.dictionary.namespace("n7")["k"] = 1
    try test.dictionary.synchronize()
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let subscription = test.dictionary.namespace("n7").subscribe("k", of: Int.self) { log.append($0) }
    let other = try test.another()
    try other.workspace.transactAndWait { transaction in
      for number in 0..<2_000 { transaction.dictionary.namespace("n\(number)")["k"] = number }
    }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [.initial(1), .updated(7)])
    subscription.cancel()
  }

  @Test("A malformed change record is rejected or decoded, and never traps") func malformed() {
    let record = encode([
      [.removePrefix(PrefixRange(namespace: 1, prefix: "a")), .set(key("k"), CachedValue(.string("text")))],
      [
        .set(key("n"), .double(1)),
        .set(key("f"), CachedValue(.flatBuffers(Data([1]), schemaVersion: "1"))), .set(key("g"), .float(2)),
      ],
    ])
    let whole = decode(record)
    for length in 0..<record.count { #expect(decode(Array(record.prefix(length))) != whole) }
    var generator = SeededGenerator.announced(for: "malformed change records")
    for _ in 0..<20_000 {
      var bytes = record
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
      }
      _ = decode(bytes)
      _ = decode(
        (0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8.random(in: 0...12, using: &generator) })
    }
    // A removal after a change.
    #expect(decode(encode([[.set(key("k"), .int(1)), .removePrefix(PrefixRange(namespace: 1, prefix: "a"))]])) == nil)
    #expect(decode([0]) == nil)
    #expect(decode([7, 0, 0]) == nil)
    #expect(decode([1, 0, 1, 97, 99]) == nil)
    #expect(decode([1, 0, 1, 97, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]) == nil)
    #expect(decode([2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]) == nil)
  }

  @Test("A9: A record that can't be decoded drops the cache, and observers get the file's values")
  func unknownRecord() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    try test.dictionary.synchronize()
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    let other = try test.another()
    Failpoint.beforeCommit.arm(in: other.core) {
      do {
        try other.core.pipeline.writer.group?.connection.execute("UPDATE dflat_log SET changes = x'01026363'")
      } catch { Issue.record(error) }
    }
    defer { Failpoint.beforeCommit.arm(in: other.core, nil) }
    try other.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [.initial(1), .updated(2)])
    #expect(test.dictionary["k"] == 2)
    subscription.cancel()
  }
}
