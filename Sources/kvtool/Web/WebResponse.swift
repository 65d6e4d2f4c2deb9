#if Web
  import NIOHTTP1

  /// A response, with the headers that restrict what the page may load and who may use it.
  struct WebResponse: Sendable {
    enum Body: Sendable {
      case bytes([UInt8])
      /// Messages that are sent one by one.
      case messages(CommitFeed.Messages)
    }

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

    let status: HTTPResponseStatus
    let headers: HTTPHeaders
    let body: Body
    /// True if the connection ends with it: the rest of the request wasn't read, and isn't another request.
    private(set) var endsConnection = false

    private init(_ status: HTTPResponseStatus, _ type: ContentType, _ body: Body, cookie: String? = nil) {
      self.status = status
      self.body = body
      headers = HTTPHeaders(
        [
          ("Content-Type", type.rawValue), ("Cache-Control", "no-store"), ("Content-Security-Policy", Self.policy),
          ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
          ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ] + (cookie.map { [("Set-Cookie", $0)] } ?? []))
    }

    static func text(_ text: String, _ type: ContentType, cookie: String? = nil) -> WebResponse {
      WebResponse(.ok, type, .bytes(Array(text.utf8)), cookie: cookie)
    }

    static func json(_ value: JSONValue, _ status: HTTPResponseStatus = .ok) -> WebResponse {
      WebResponse(status, .json, .bytes(Array(JSONWriter.string(value).utf8)))
    }

    static func events(_ messages: CommitFeed.Messages) -> WebResponse {
      WebResponse(.ok, .events, .messages(messages))
    }

    /// Refuses a request before it is read.
    static func refusal(_ status: HTTPResponseStatus, _ reason: String) -> WebResponse {
      var response = WebResponse(status, .text, .bytes(Array((reason + "\n").utf8)))
      response.endsConnection = true
      return response
    }
  }
#endif
