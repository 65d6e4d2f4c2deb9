import Foundation

/// Sends requests as the page does, or as something else would.
struct WebClient {
  let web: WebProcess
  private(set) var cookie: String?

  init(_ web: WebProcess) { self.web = web }

  /// Opens the page, which gives the client its session.
  mutating func open() throws {
    let response = try get("/")
    cookie = response.value(of: "Set-Cookie")?.split(separator: ";").first.map(String.init)
  }

  /// Sends one request. Headers that are named replace the usual ones; nil leaves a header out.
  func send(
    _ method: String, _ path: String, _ headers: KeyValuePairs<String, String?> = [:], body: Data? = nil
  ) throws -> HTTPConnection.Response {
    let connection = try HTTPConnection(port: web.port)
    connection.send(head(method, path, headers, length: body?.count) + (body ?? Data()))
    return try connection.response()
  }

  /// Returns the head of a request.
  func head(
    _ method: String, _ path: String, _ headers: KeyValuePairs<String, String?> = [:], length: Int? = nil
  ) -> Data {
    var all: [(String, String?)] = [("Host", "127.0.0.1:\(web.port)"), ("Cookie", cookie)]
    if let length { all.append(("Content-Length", "\(length)")) }
    for (name, value) in headers {
      all.removeAll { $0.0 == name }
      all.append((name, value))
    }
    let lines = all.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
    return Data("\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n".utf8)
  }

  /// Requests a part of the page: `/`, or a path below it.
  func get(_ path: String, _ headers: KeyValuePairs<String, String?> = [:]) throws -> HTTPConnection.Response {
    try send("GET", web.base + path, headers)
  }

  /// Requests JSON with parameters.
  func json(_ path: String, _ parameters: KeyValuePairs<String, String> = [:]) throws -> [String: Any] {
    let pairs = parameters.map { name, value in
      "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }
    return try object(try get("\(path)?\(pairs.joined(separator: "&"))"))
  }

  /// Sends JSON as the page does.
  func post(_ path: String, _ json: [String: Any?]) throws -> HTTPConnection.Response {
    let body = try JSONSerialization.data(withJSONObject: json.mapValues { $0 ?? NSNull() })
    return try send("POST", web.base + path, ["Content-Type": "application/json", "X-Kvtool": "1"], body: body)
  }

  func object(_ response: HTTPConnection.Response) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: response.body) as? [String: Any] else {
      throw HTTPConnection.Failure.ended
    }
    return object
  }
}
