import DflatKV
import Foundation
import TestSupport

/// A process of a program: does what it is asked to over its standard input, and answers on its standard output.
package enum Worker {
  package static func run() {
    signal(SIGPIPE, SIG_IGN)
    let channel = Channel(input: 0, output: dup(1))
    // What the library prints is not an answer.
    dup2(2, 1)
    var executor: Executor?
    while let request = try? channel.receive(Request.self) {
      var answer = Answer(reply: .text("ok"))
      do {
        switch request {
        case .colliding: answer.colliding = Self.colliding()
        case .begin(let folder, let slots, let names, let colliding):
          Alphabet.use(colliding: colliding)
          executor = Executor(folder: folder, slots: slots, names: names)
        case .step(let step): if let executor { answer = try executor.run(step) }
        case .end:
          executor?.end()
          executor = nil
        }
      } catch { answer.reply = .text("!!\(error)") }
      do { try channel.send(answer) } catch { return }
    }
  }

  /// Pairs of keys of the root that have one hash in this process.
  private static func colliding() -> [String] {
    (0..<Alphabet.collisions).flatMap { pair -> [String] in
      var seen: [UInt32: Int] = [:]
      func key(_ number: Int) -> String { "h\(pair)" + String(100_000_000 + number).dropFirst() }
      for number in 1..<1_000_000 {
        if let other = seen.updateValue(number, forKey: WorkspaceDictionary.hash(of: key(number))) {
          return [key(other), key(number)]
        }
      }
      return []
    }
  }
}

/// Messages over two descriptors, each behind its length.
final class Channel {
  struct Ended: Error {}
  struct Silent: Error {}

  private let input: Int32
  private let output: Int32
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
  }

  func send(_ message: some Encodable) throws {
    let body = try encoder.encode(message)
    var length = UInt32(body.count)
    var bytes = withUnsafeBytes(of: &length) { Array($0) }
    bytes += body
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Ended() }
      rest = rest.dropFirst(count)
    }
  }

  /// Throws `Silent` when nothing comes for so many seconds.
  func receive<T: Decodable>(_ type: T.Type, within seconds: Int32? = nil) throws -> T {
    let header = try read(4, within: seconds)
    let length = header.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    return try decoder.decode(type, from: Data(try read(Int(length), within: seconds)))
  }

  private func read(_ count: Int, within seconds: Int32?) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      if let seconds {
        var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, seconds * 1_000) > 0 else { throw Silent() }
      }
      let got = bytes.withUnsafeMutableBytes {
        Foundation.read(input, $0.baseAddress.map { $0 + filled }, count - filled)
      }
      guard got > 0 else { throw Ended() }
      filled += got
    }
    return bytes
  }
}
