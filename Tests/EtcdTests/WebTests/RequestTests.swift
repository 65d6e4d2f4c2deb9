import DflatKV
import Foundation
import Testing

/// Who gets answers from `kvtool web`, and how large they are.
@Suite(.serialized, .timeLimit(.minutes(15))) struct RequestTests {
  private let web: WebProcess

  init() throws {
    web = try WebProcess()
    try web.kvtool("set", "volume", "0.8", "--double")
  }

  // MARK: Refused requests

  @Test("Requests without the token are refused, also before the page was opened") func tokens() throws {
    try web.start()
    let client = WebClient(web)
    let wrong = "/" + String(repeating: "0", count: web.base.count - 1)
    let shorter = String(web.base.dropLast())
    for path in ["/", "/api/file", "/script.js", wrong + "/", wrong + "/api/file", shorter + "/", "/favicon.ico"] {
      let response = try client.send("GET", path)
      #expect(response.status == 403 && !response.text.contains("volume"), "\(path)")
      #expect(response.value(of: "Set-Cookie") == nil)
    }
    // The token alone opens the page, and nothing else.
    for path in ["/api/file", "/script.js", "/api/keys"] {
      #expect(try client.get(path).status == 403)
    }
    #expect(try client.get("/").status == 200)
  }

  @Test("The URL works for one browser") func oneBrowser() throws {
    try web.start()
    var first = WebClient(web)
    try first.open()
    #expect(try first.get("/").status == 200)
    #expect(try first.get("").status == 200)
    #expect(try first.json("/api/file")["isWritable"] as? Bool == false)
    let second = WebClient(web)
    for path in ["/", "", "/api/file"] { #expect(try second.get(path).status == 403) }
    let forged = "kvtool=" + String(repeating: "0", count: 64)
    #expect(try second.get("/", ["Cookie": forged]).status == 403)
    #expect(try second.get("/", ["Cookie": "kvtool="]).status == 403)
    // The cookie is for the page's path, for scripts nowhere, and for no request of another site.
    #expect(try first.get("/", ["Cookie": "a=b; \(first.cookie ?? "")"]).status == 200)
    try web.start()
    let cookie = try #require(try WebClient(web).get("/").value(of: "Set-Cookie"))
    #expect(cookie.hasSuffix("; Path=\(web.base); HttpOnly; SameSite=Strict"))
  }

  @Test("Requests to another name or address are refused") func hosts() throws {
    try web.start()
    var client = WebClient(web)
    try client.open()
    for host in [
      "evil.example", "evil.example:\(web.port)", "localhost:\(web.port)", "127.0.0.1", "127.0.0.1:1", "", nil,
    ] {
      #expect(try client.get("/api/file", ["Host": host]).status == 403, "\(host ?? "no host")")
    }
    // Linux answers on all of 127.0.0.0/8 what listens on all addresses.
    #expect(throws: HTTPConnection.Failure.self) { try HTTPConnection(port: web.port, address: "127.0.0.2") }
  }

  @Test("Requests of other pages are refused, and no answer lets them read") func otherOrigins() throws {
    try web.start("--write")
    var client = WebClient(web)
    try client.open()
    let body = Data(#"{"namespace":"","key":"volume","commit":1,"text":"0.1"}"#.utf8)
    let path = web.base + "/api/set"
    let own = "http://127.0.0.1:\(web.port)"
    let refused: [KeyValuePairs<String, String?>] = [
      ["Content-Type": "application/json"], ["Content-Type": "text/plain"],
      ["Content-Type": "application/json", "X-Kvtool": "1", "Origin": "http://evil.example"],
      ["Content-Type": "application/json", "X-Kvtool": "1", "Origin": "null"],
      ["Content-Type": "application/json", "X-Kvtool": "1", "Origin": "http://127.0.0.1:1"],
      ["Content-Type": "application/json", "X-Kvtool": "1", "Sec-Fetch-Site": "same-site"],
      ["Content-Type": "application/json", "X-Kvtool": "1", "Origin": own, "Cookie": nil],
    ]
    for headers in refused { #expect(try client.send("POST", path, headers, body: body).status == 403, "\(headers)") }
    #expect(try client.get("/api/file", ["Sec-Fetch-Site": "cross-site"]).status == 403)
    for method in ["OPTIONS", "PUT", "HEAD"] {
      let response = try client.send(method, path, ["Origin": "http://evil.example"])
      #expect(response.status == 403 && response.value(of: "Access-Control-Allow-Origin") == nil)
    }
    #expect(try web.kvtool("get", "volume").output == "0.8\n")
    let headers: KeyValuePairs<String, String?> = ["Content-Type": "application/json", "X-Kvtool": "1", "Origin": own]
    #expect(try client.send("POST", path, headers, body: body).status == 200)
    #expect(try web.kvtool("get", "volume").output == "0.1\n")
    let page = try client.get("/")
    let policy = try #require(page.value(of: "Content-Security-Policy"))
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"))
    #expect(page.value(of: "Referrer-Policy") == "no-referrer" && page.value(of: "Cache-Control") == "no-store")
  }

  @Test("Without --write, the page changes nothing") func readOnly() throws {
    try web.start()
    var client = WebClient(web)
    try client.open()
    for path in ["/api/set", "/api/delete"] {
      let response = try client.post(path, ["namespace": "", "key": "volume", "commit": 1, "text": "0.1"])
      #expect(response.status == 403 && response.text.contains("--write"))
    }
    #expect(try web.kvtool("get", "volume").output == "0.8\n")
  }

  @Test("A body that is too large is refused unread, and isn't taken for another request") func largeBodies() throws {
    try web.start("--write")
    var client = WebClient(web)
    try client.open()
    let smuggled = client.head("GET", web.base + "/api/file")
    let refused = [
      client.head("POST", web.base + "/api/set", ["X-Kvtool": "1"], length: 2 << 20),
      client.head("POST", web.base + "/api/set", ["X-Kvtool": "1", "Transfer-Encoding": "chunked"]),
      client.head("POST", "/api/set", length: 100_000), client.head("GET", web.base + "/api/file", length: 100_000),
    ]
    for head in refused {
      let connection = try HTTPConnection(port: web.port)
      connection.send(head + smuggled)
      let response = try connection.response()
      #expect([400, 403, 413].contains(response.status), "\(response.status)")
      #expect(connection.isAtEnd())
    }
    // The largest value that the page writes.
    let text = String(repeating: "x", count: 1_000_000)
    #expect(try client.post("/api/set", ["namespace": "", "key": "large", "commit": nil, "text": text]).status == 200)
    #expect(try web.kvtool("get", "large").output.count == 1_000_001)
  }

  @Test("Requests that are none end their connections, and others go on") func malformedRequests() throws {
    try web.start("--write")
    var client = WebClient(web)
    try client.open()
    let texts = [
      "GET\r\n\r\n", "\0\u{FFFD}\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ]
    for text in texts {
      let connection = try HTTPConnection(port: web.port)
      connection.send(text)
      #expect((try? connection.response().status) ?? 400 == 400, "\(text.debugDescription)")
      #expect(connection.isAtEnd())
    }
    for path in ["/%", "/..//api/file", "/\(web.base)/%2e%2e/", "*", "/" + String(repeating: "x", count: 100_000)] {
      #expect([400, 403, 404].contains(try client.send("GET", path).status))
    }
    #expect(try client.get("/api/nothing").status == 404)
    let queries = ["?", "?limit=-1", "?limit=99999999999999999999", "?prefix=%", "?prefix=%zz&&=", "?prefix=%ff"]
    for query in queries { #expect(try client.get("/api/keys" + query).status == 200, "\(query)") }
    for body in ["", "[]", "{}", "null", String(repeating: "[", count: 5000), #"{"key":1}"#] {
      #expect(
        try client.send(
          "POST", web.base + "/api/set", ["Content-Type": "application/json", "X-Kvtool": "1"], body: Data(body.utf8)
        ).status == 400)
    }
  }

  @Test("A hundred connections that stop in the middle of a request keep nobody waiting") func slowClients() throws {
    try web.start()
    var client = WebClient(web)
    let half = client.head("GET", web.base + "/").dropLast(2)
    let slow = try (0..<100).map { _ in try HTTPConnection(port: web.port) }
    for connection in slow { connection.send(half) }
    try client.open()
    let request = client.head("GET", web.base + "/api/events")
    let pages = try (0..<100).map { _ in
      let page = try HTTPConnection(port: web.port)
      page.send(request)
      #expect(try page.receive(to: "\n\n").contains("volume = 0.8"))
      return page
    }
    try web.kvtool("set", "volume", "0.9")
    for page in pages { #expect(try page.receive(to: "\n\n").contains("volume = 0.9")) }
    #expect(try client.json("/api/file")["path"] as? String == "app.db")
    // Their other halves are still answered: that the session exists already.
    for connection in slow {
      connection.send("\r\n")
      #expect(try connection.response().status == 403)
    }
  }

  @Test("Hundreds of connections without a request keep nobody out: the oldest are closed") func strangers() throws {
    try web.start()
    var client = WebClient(web)
    try client.open()
    let page = try HTTPConnection(port: web.port)
    page.send(client.head("GET", web.base + "/api/events"))
    #expect(try page.receive(to: "\n\n").contains("volume = 0.8"))
    let others = try (0..<300).map { _ in try HTTPConnection(port: web.port) }
    for connection in others.prefix(150) { #expect(connection.isAtEnd()) }
    #expect(try client.get("/").status == 200)
    // The newest ones stay, and so does the browser's.
    others.last?.send(WebClient(web).head("GET", web.base + "/api/file"))
    #expect(try others.last?.response().status == 403)
    try web.kvtool("set", "volume", "0.9")
    #expect(try page.receive(to: "\n\n").contains("volume = 0.9"))
  }
}
