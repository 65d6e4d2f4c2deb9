#if Web
  import DflatSupport
  import Synchronization

  /// Decides which requests the server answers: those of the browser that came first with the token of the URL.
  ///
  /// The token is the first component of every path. The first request with it gets a cookie, and later requests need
  /// both. Browsers send a cookie to every port of its host, so it is restricted to the token's path, which servers on
  /// other ports don't know.
  final class WebGate: Sendable {
    /// The parts of a request that decide.
    struct Head {
      var method: String
      var path: String
      var host: String?
      var cookie: String?
      var origin: String?
      /// The header `Sec-Fetch-Site`, which scripts can't set.
      var fetchSite: String?
      /// True with the header that the page's script sends. Pages of other sites can't send it without a preflight
      /// request, which the server refuses.
      var isMarked = false
    }

    enum Verdict: Equatable {
      /// The path after the token, without slashes around it, and the cookie to set, if the request is the first one.
      case admitted(path: String, cookie: String?)
      case refused(String)
    }

    /// The header that marks requests of the page's script.
    static let marker = "X-Kvtool"
    private static let cookieName = "kvtool"

    let token = secret(words: 2)
    private let session = secret(words: 4)
    private let state = Mutex(State())

    private struct State {
      var port: Int?
      var isTaken = false
    }

    /// Admits requests from now on, as those to a port.
    func open(port: Int) { state.withLock { $0.port = port } }

    func url(port: Int) -> String { "http://127.0.0.1:\(port)/\(token)/" }

    func verdict(on head: Head) -> Verdict {
      guard let port = state.withLock({ $0.port }) else { return .refused("The server is starting.") }
      // A page of another site can let its own name resolve to this computer, but can't change the header.
      let address = "127.0.0.1:\(port)"
      guard let host = head.host, host == address || port == 80 && host == "127.0.0.1" else {
        return .refused("This server is called \(address).")
      }
      let path = head.path.split(separator: "/", omittingEmptySubsequences: true)
      guard let first = path.first, Self.isSameSecret(first.utf8, token.utf8) else {
        return .refused("Open the whole URL that kvtool web has printed.")
      }
      let rest = path.dropFirst().joined(separator: "/")
      guard isOfPage(head, port: port, isPage: rest.isEmpty) else {
        return .refused("This request is of another page.")
      }
      if hasSession(head.cookie) { return .admitted(path: rest, cookie: nil) }
      guard rest.isEmpty, head.method == "GET", takeToken() else {
        return .refused("Another browser has opened this URL, which works once. Start kvtool web again for a new one.")
      }
      return .admitted(
        path: rest, cookie: "\(Self.cookieName)=\(session); Path=/\(token); HttpOnly; SameSite=Strict")
    }

    /// Returns true unless a page of another origin has sent the request. Other pages may link to this one, but not read
    /// or change anything.
    private func isOfPage(_ head: Head, port: Int, isPage: Bool) -> Bool {
      if head.method == "GET" {
        return isPage || head.fetchSite.map { $0 == "same-origin" || $0 == "none" } ?? true
      }
      return head.isMarked && (head.origin.map { $0 == "http://127.0.0.1:\(port)" } ?? true)
        && (head.fetchSite.map { $0 == "same-origin" } ?? true)
    }

    private func takeToken() -> Bool {
      state.withLock { state in
        defer { state.isTaken = true }
        return !state.isTaken
      }
    }

    private func hasSession(_ cookies: String?) -> Bool {
      (cookies ?? "").split(separator: ";").contains { cookie in
        let parts = cookie.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].drop { $0 == " " } == Self.cookieName
          && Self.isSameSecret(parts[1].utf8, session.utf8)
      }
    }

    /// Returns hexadecimal digits of the system's random numbers.
    private static func secret(words: Int) -> String {
      var generator = SystemRandomNumberGenerator()
      return hexadecimal((0..<words * 8).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// Compares in a time that depends on the lengths alone.
    private static func isSameSecret(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
      guard left.count == right.count else { return false }
      return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }
#endif
