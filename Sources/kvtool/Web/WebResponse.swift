#if Web
  import DflatSupport
  import FlyingFox
  import FlyingSocks

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Makes responses, all with the headers that restrict what the page may load and who may use it.
  enum WebResponse {
    enum ContentType: String {
      case html = "text/html; charset=utf-8"
      case script = "text/javascript; charset=utf-8"
      case style = "text/css; charset=utf-8"
      case json = "application/json"
      case text = "text/plain; charset=utf-8"
      case events = "text/event-stream"
    }

    /// The page runs its own script only, loads from its own server only, and can't be framed. In browsers with trusted
    /// types, a script that writes markup fails.
    private static let policy = """
      default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
      form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
      """

    private static func headers(_ type: ContentType, cookie: String? = nil) -> HTTPHeaders {
      var headers = HTTPHeaders()
      headers[.contentType] = type.rawValue
      headers[.cacheControl] = "no-store"
      headers[HTTPHeader("Content-Security-Policy")] = policy
      headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
      headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
      headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
      headers[HTTPHeader("Cross-Origin-Opener-Policy")] = "same-origin"
      headers[.setCookie] = cookie
      return headers
    }

    static func text(_ text: String, _ type: ContentType, cookie: String? = nil) -> HTTPResponse {
      HTTPResponse(statusCode: .ok, headers: headers(type, cookie: cookie), body: Data(text.utf8))
    }

    static func json(_ value: JSONValue, _ status: HTTPStatusCode = .ok) -> HTTPResponse {
      HTTPResponse(statusCode: status, headers: headers(.json), body: Data(JSONWriter.string(value).utf8))
    }

    static func events(_ messages: AsyncStream<[UInt8]>) -> HTTPResponse {
      HTTPResponse(
        statusCode: .ok, headers: headers(.events), body: HTTPBodySequence(from: MessageBytes(messages: messages)))
    }

    /// Refuses a request, and ends the connection, so that a body that wasn't read isn't taken for the next request.
    static func refusal(_ status: HTTPStatusCode, _ reason: String) -> HTTPResponse {
      let bytes = Array((reason + "\n").utf8)
      var headers = headers(.text)
      headers[.connection] = "close"
      return HTTPResponse(
        statusCode: status, headers: headers,
        body: HTTPBodySequence(from: LastBytes(bytes: bytes), count: bytes.count))
    }
  }

  /// The bytes of messages, each sent at once.
  private struct MessageBytes: AsyncBufferedSequence {
    let messages: AsyncStream<[UInt8]>

    func makeAsyncIterator() -> Iterator { Iterator(messages: messages.makeAsyncIterator()) }

    struct Iterator: AsyncBufferedIteratorProtocol {
      var messages: AsyncStream<[UInt8]>.Iterator
      private var rest: ArraySlice<UInt8> = []

      init(messages: AsyncStream<[UInt8]>.Iterator) { self.messages = messages }

      mutating func next() async throws -> UInt8? {
        while rest.isEmpty {
          guard let message = await messages.next() else { return nil }
          rest = message[...]
        }
        return rest.popFirst()
      }

      mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
        if rest.isEmpty { return await messages.next() }
        defer { rest = [] }
        return Array(rest)
      }
    }
  }

  /// Bytes after which the connection ends.
  private struct LastBytes: AsyncBufferedSequence {
    let bytes: [UInt8]

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes) }

    struct Iterator: AsyncBufferedIteratorProtocol {
      private var rest: ArraySlice<UInt8>

      init(bytes: [UInt8]) { rest = bytes[...] }

      mutating func next() async throws -> UInt8? {
        guard let byte = rest.popFirst() else { throw SocketError.disconnected }
        return byte
      }

      mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
        if rest.isEmpty { throw SocketError.disconnected }
        defer { rest = [] }
        return Array(rest)
      }
    }
  }
#endif
