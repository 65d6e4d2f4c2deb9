#if Web
  import NIOHTTP1

  /// A request, without what doesn't matter for its response.
  struct WebRequest: Sendable {
    let head: WebGate.Head
    let query: WebQuery
    let contentType: String?
    let isKeptAlive: Bool
    /// The path after the token; empty before the request is admitted.
    var path = ""
    /// The cookie that the response sets, if this is the first request.
    var newCookie: String?
    var body: [UInt8] = []

    init(_ head: HTTPRequestHead) {
      func value(of name: String) -> String? {
        let values = head.headers[name]
        return values.isEmpty ? nil : values.joined(separator: "; ")
      }
      let target = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      self.head = WebGate.Head(
        method: head.method.rawValue, path: target.first.map(String.init) ?? "", host: value(of: "Host"),
        cookie: value(of: "Cookie"), origin: value(of: "Origin"), fetchSite: value(of: "Sec-Fetch-Site"),
        isMarked: head.headers.contains(name: WebGate.marker))
      query = WebQuery(target.count > 1 ? String(target[1]) : "")
      contentType = value(of: "Content-Type")
      isKeptAlive = head.isKeepAlive
    }
  }
#endif
