#if Web
  import DflatKV
  import DflatSupport
  import Dispatch
  import FlyingFox

  /// Answers requests.
  struct WebRouter: HTTPHandler {
    /// The largest body of a request, in bytes.
    static let largestBody = 1 << 20
    /// The most entries of a level, and rows of a table, in a response.
    private static let mostEntries = 500

    let gate: WebGate
    let file: ServedFile
    let feed: CommitFeed
    /// Nil if the page only reads.
    let writer: KeyWriter?

    // Reads block their thread, and those of large tables take long, so each kind has a thread of its own.
    private let keyQueue = DispatchQueue(label: "kvtool.web.keys")
    private let objectQueue = DispatchQueue(label: "kvtool.web.objects")
    private let writeQueue = DispatchQueue(label: "kvtool.web.writes")

    init(_ gate: WebGate, _ file: ServedFile, _ feed: CommitFeed, _ writer: KeyWriter?) {
      self.gate = gate
      self.file = file
      self.feed = feed
      self.writer = writer
    }

    func handleRequest(_ request: HTTPRequest) async -> HTTPResponse {
      let head = WebGate.Head(
        method: request.method.rawValue, path: request.target.path(), host: request.headers[.host],
        cookie: request.headers[.cookie], origin: request.headers[HTTPHeader("Origin")],
        fetchSite: request.headers[HTTPHeader("Sec-Fetch-Site")],
        isMarked: request.headers[HTTPHeader(WebGate.marker)] != nil)
      switch gate.verdict(on: head) {
      case .refused(let reason): return WebResponse.refusal(.forbidden, reason)
      case .admitted(let path, let cookie):
        do {
          switch head.method {
          case "GET":
            guard request.bodySequence.count == 0 else { return WebResponse.refusal(.badRequest, "GET has no body.") }
            return try await get(path, WebQuery(request.target.query()), cookie: cookie)
          case "POST":
            guard let count = request.bodySequence.count, count <= Self.largestBody else {
              return WebResponse.refusal(.payloadTooLarge, "A value that the page writes has at most 1 MiB.")
            }
            return try await post(path, request)
          default: return WebResponse.refusal(.methodNotAllowed, "There is no \(head.method).")
          }
        } catch {
          let failure = WebFailure(error)
          return WebResponse.json(failure.json, failure.status)
        }
      }
    }

    // MARK: Reading

    private func get(_ path: String, _ query: WebQuery, cookie: String?) async throws -> HTTPResponse {
      switch path {
      case "": return WebResponse.text(WebPage.html(base: "/\(gate.token)"), .html, cookie: cookie)
      case "script.js": return WebResponse.text(WebPage.script, .script)
      case "style.css": return WebResponse.text(WebPage.style, .style)
      case "api/events": return WebResponse.events(feed.messages())
      case "api/file":
        return WebResponse.json(
          .object(
            JSONObject([
              "path": .string(WebText.name(file.path)), "isWritable": .bool(writer != nil),
              "types": .array(ValueType.allCases.map { .string($0.rawValue) }),
            ])))
      case "api/namespaces": return try await reading(keyQueue) { try KeyReader(file: file).namespaces() }
      case "api/keys":
        let position = query["afterGroup"].map { KeyPosition.prefix($0) } ?? query["after"].map { .key($0) }
        return try await reading(keyQueue) {
          try KeyReader(file: file).level(
            in: query["namespace"] ?? "", prefix: query["prefix"] ?? "", after: position,
            limit: query.number("limit", atMost: Self.mostEntries))
        }
      case "api/value":
        return try await reading(keyQueue) {
          try KeyReader(file: file).value(of: query["key"] ?? "", in: query["namespace"] ?? "")
        }
      case "api/tables": return try await reading(objectQueue) { try TableReader(file: file).tables() }
      case "api/objects":
        return try await reading(objectQueue) {
          try TableReader(file: file).objects(
            of: query["table"] ?? "", where: query["where"] ?? "", order: query["order"] ?? "",
            offset: query.number("offset", atMost: .max), limit: query.number("limit", atMost: Self.mostEntries))
        }
      case "api/activity":
        return try await reading(keyQueue) {
          let lines = try file.current().activity().lines(width: 120, height: 60)
          return .object(JSONObject(["text": .string(lines.joined(separator: "\n"))]))
        }
      default: throw WebFailure(.notFound, "There is no page of this name.")
      }
    }

    private func reading(
      _ queue: DispatchQueue, _ body: @escaping @Sendable () throws -> JSONValue
    ) async throws -> HTTPResponse {
      try await run(on: queue) { WebResponse.json(try body()) }
    }

    private func run<Result: Sendable>(
      on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Swift.Result { try body() }) }
      }
    }

    // MARK: Writing

    private func post(_ path: String, _ request: HTTPRequest) async throws -> HTTPResponse {
      // Also reads the body of a request that is refused.
      let body = Array(try await request.bodyData)
      guard let writer else {
        throw WebFailure(.forbidden, "The page only reads: start 'kvtool web --write' to change keys.")
      }
      guard path == "api/set" || path == "api/delete" else {
        throw WebFailure(.notFound, "There is no page of this name.")
      }
      guard request.headers[.contentType] == "application/json", let json = try? JSONParser.parse(body),
        case .object(let fields) = json, let key = fields.text("key"), let namespace = fields.text("namespace")
      else { throw WebFailure(.badRequest, "The request is not of the page.") }
      let place = KeyWriter.Place(namespace: namespace, key: key, commitNumber: fields.commitNumber)
      guard path == "api/set" else {
        return try await run(on: writeQueue) {
          try writer.delete(place)
          return WebResponse.json(.object(JSONObject([:])))
        }
      }
      guard let text = fields.text("text") else { throw WebFailure(.badRequest, "The request has no value.") }
      let type = fields.text("type").flatMap { ValueType(rawValue: $0) }
      return try await run(on: writeQueue) {
        try writer.set(place, to: text, as: type)
        return WebResponse.json(.object(JSONObject([:])))
      }
    }
  }

  extension JSONObject {
    fileprivate func text(_ name: String) -> String? {
      if case .string(let text)? = self[name] { text } else { nil }
    }

    fileprivate var commitNumber: UInt64? {
      switch self["commit"] {
      case .int(let number): UInt64(exactly: number)
      case .uint(let number): number
      default: nil
      }
    }
  }
#endif
