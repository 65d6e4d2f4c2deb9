import Foundation

/// Bytes that are read in the order in which they were appended. Both ends belong to one program, so malformed bytes
/// trap.
struct Message: Sendable {
  private(set) var bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  mutating func append(byte: UInt8) { bytes.append(byte) }

  mutating func append(_ value: Int) { withUnsafeBytes(of: Int64(value)) { bytes.append(contentsOf: $0) } }

  mutating func append(_ text: String) {
    append(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  mutating func append(_ texts: [String]) {
    append(texts.count)
    for text in texts { append(text) }
  }

  mutating func byte() -> UInt8 {
    defer { place += 1 }
    return bytes[place]
  }

  mutating func integer() -> Int {
    defer { place += 8 }
    return bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: place, as: Int64.self)) }
  }

  mutating func text() -> String {
    let count = integer()
    defer { place += count }
    return String(decoding: bytes[place..<place + count], as: UTF8.self)
  }

  mutating func texts() -> [String] { (0..<integer()).map { _ in text() } }
}

/// Messages over two descriptors, each preceded by its length.
final class Channel {
  struct Ended: Error {}
  struct Silent: Error {}

  private let input: Int32
  private let output: Int32
  /// Bytes that were read but not yet received.
  private var waiting: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
  }

  func send(_ message: Message) throws {
    var bytes = withUnsafeBytes(of: UInt32(message.bytes.count)) { Array($0) }
    bytes += message.bytes
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Ended() }
      rest = rest.dropFirst(count)
    }
  }

  /// Throws `Silent` if nothing arrives for that many seconds.
  func receive(within seconds: Int32? = nil) throws -> Message {
    while true {
      if waiting.count >= 4 {
        let end = 4 + Int(waiting.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
        if waiting.count >= end {
          defer { waiting.removeFirst(end) }
          return Message(Array(waiting[4..<end]))
        }
      }
      if let seconds {
        var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, seconds * 1_000) > 0 else { throw Silent() }
      }
      let got = buffer.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
      guard got > 0 else { throw Ended() }
      waiting += buffer[..<got]
    }
  }
}
