import Foundation

/// A connection that sends requests byte by byte as they are given, for requests that no client would send.
final class HTTPConnection {
  struct Response {
    let status: Int
    /// The lines of the header.
    let header: [String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    func value(of name: String) -> String? {
      header.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        .map { String($0.dropFirst(name.count + 1)).trimmingCharacters(in: .whitespaces) }
    }
  }

  /// Why there is no response.
  enum Failure: Error {
    case notConnected(Int32)
    case ended
  }

  private let descriptor: Int32
  private var received = Data()

  init(port: UInt16, address: String = "127.0.0.1") throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    // A server that doesn't answer fails the test, and doesn't block it.
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    inet_pton(AF_INET, address, &place.sin_addr)
    let status = withUnsafePointer(to: place) { place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status != 0 {
      let code = errno
      close(descriptor)
      throw Failure.notConnected(code)
    }
  }

  deinit { close(descriptor) }

  /// Sends all bytes. Returns false if the server has closed the connection.
  @discardableResult
  func send(_ bytes: Data) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Data(text.utf8)) }

  /// Receives more bytes. Returns false at the end.
  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count <= 0 { return false }
    received += buffer[..<count]
    return true
  }

  /// Receives up to a text, and returns what was before it.
  func receive(to end: String) throws -> String {
    while true {
      if let range = received.range(of: Data(end.utf8)) {
        defer { received = Data(received[range.upperBound...]) }
        return String(decoding: received[..<range.lowerBound], as: UTF8.self)
      }
      if !receive() { throw Failure.ended }
    }
  }

  /// Receives a response with a length.
  func response() throws -> Response {
    let lines = try receive(to: "\r\n\r\n").components(separatedBy: "\r\n")
    let head = Response(status: Int(lines[0].split(separator: " ")[1]) ?? 0, header: lines, body: Data())
    guard let length = head.value(of: "Content-Length").flatMap({ Int($0) }) else { return head }
    while received.count < length { if !receive() { throw Failure.ended } }
    defer { received = Data(received.dropFirst(length)) }
    return Response(status: head.status, header: lines, body: received.prefix(length))
  }

  /// True if the server sends nothing more, and closes the connection.
  func isAtEnd() -> Bool {
    if !received.isEmpty { return false }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, 0)
    return count == 0 || count < 0 && errno == ECONNRESET
  }
}
