#if Web
  import DflatKV
  import DflatSupport
  import Dispatch

  /// Answers requests.
  struct WebRouter: Sendable {
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

    /// The decision about a request, made when its head has arrived.
    enum Admission {
      case refused(WebResponse)
      case admitted(path: String, cookie: String?, largestBody: Int)
    }

    func admission(of request: WebRequest) -> Admission {
      switch gate.verdict(on: request.head) {
      case .refused(let reason): .refused(.refusal(.forbidden, reason))
      case .admitted(let path, let cookie):
        switch request.head.method {
        case "GET": .admitted(path: path, cookie: cookie, largestBody: 0)
        case "POST": .admitted(path: path, cookie: cookie, largestBody: Self.largestBody)
        default: .refused(.refusal(.methodNotAllowed, "There is no \(request.head.method)."))
        }
      }
    }

    /// Returns the response to an admitted request.
    func response(to request: WebRequest) async -> WebResponse {
      do { return try await request.head.method == "GET" ? get(request) : post(request) } catch {
        let failure = WebFailure(error)
        return .json(failure.json, failure.status)
      }
    }

    // MARK: Reading

    private func get(_ request: WebRequest) async throws -> WebResponse {
      let query = request.query
      switch request.path {
      case "": return .text(WebPage.html(base: "/\(gate.token)"), .html, cookie: request.newCookie)
      case "script.js": return .text(WebPage.script, .script)
      case "style.css": return .text(WebPage.style, .style)
      case "api/events": return .events(feed.messages())
      case "api/file":
        return .json(
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
    ) async throws -> WebResponse {
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

    private func post(_ request: WebRequest) async throws -> WebResponse {
      guard let writer else {
        throw WebFailure(.forbidden, "The page only reads: start 'kvtool web --write' to change keys.")
      }
      guard ["api/set", "api/delete"].contains(request.path) else {
        throw WebFailure(.notFound, "There is no page of this name.")
      }
      guard request.contentType == "application/json", let json = try? JSONParser.parse(request.body),
        case .object(let fields) = json, let key = fields.text("key"), let namespace = fields.text("namespace")
      else { throw WebFailure(.badRequest, "The request is not of the page.") }
      let place = KeyWriter.Place(namespace: namespace, key: key, commitNumber: fields.commitNumber)
      guard request.path == "api/set" else {
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
