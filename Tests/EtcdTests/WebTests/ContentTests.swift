import DflatKV
import Foundation
import Testing

/// The answers of `kvtool web` about a file's contents.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ContentTests {
  private let web: WebProcess
  private let workspace: SQLiteWorkspace

  init() throws {
    web = try WebProcess()
    workspace = try SQLiteWorkspace.open(filePath: web.database.path())
  }

  private func openClient(_ arguments: String...) throws -> WebClient {
    if arguments.isEmpty { try web.start() } else { try web.start(arguments[0]) }
    var client = WebClient(web)
    try client.open()
    return client
  }

  private func entries(_ answer: [String: Any]) -> [[String: Any]] { answer["entries"] as? [[String: Any]] ?? [] }

  /// Reads all pages of a level.
  private func level(_ client: WebClient, namespace: String = "", prefix: String = "", limit: Int) throws -> [[String:
    Any]]
  {
    var all: [[String: Any]] = []
    while true {
      var parameters = ["namespace": namespace, "prefix": prefix, "limit": "\(limit)"]
      parameters["after"] = all.last?["key"] as? String
      parameters["afterGroup"] = all.last?["group"] as? String
      let query = parameters.map { name, value in
        "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
      }
      let answer = try client.object(try client.get("/api/keys?\(query.joined(separator: "&"))"))
      #expect(entries(answer).count <= limit)
      all += entries(answer)
      if answer["hasMore"] as? Bool == false { return all }
    }
  }

  // MARK: Keys

  @Test("Pages of a level are its keys and groups, sorted by their bytes, each once") func levels() throws {
    try workspace.transactAndWait { txn in
      for number in 0..<1000 { txn.dictionary["many.\(number)"] = number }
      for key in ["a", "a.", "a.b", "a/b", "a/b/c", "alone.in.its.group", "z", ".", "..", "/x", "é", "e\u{301}"] {
        txn.dictionary[key] = true
      }
      txn.dictionary.namespace("cache")["a.x"] = 1
    }
    let client = try openClient()
    for limit in [1, 3, 500] {
      let names = try level(client, limit: limit).map { ($0["group"] ?? $0["key"]) as? String ?? "" }
      let expected = [".", "/x", "a", "a.", "a/", "alone.in.its.group", "e\u{301}", "many.", "z", "é"]
      #expect(names.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
      let groups = try level(client, limit: limit).compactMap { $0["group"] as? String }
      #expect(groups == [".", "a.", "a/", "many."])
    }
    let many = try level(client, prefix: "many.", limit: 300)
    #expect(Set(many.compactMap { $0["key"] as? String }).count == 1000)
    #expect(try level(client, namespace: "cache", limit: 10).map { $0["text"] as? String } == ["1"])
    // A response has at most 500 entries.
    #expect(entries(try client.json("/api/keys", ["prefix": "many.", "limit": "100000"])).count == 500)
  }

  @Test("Each key has its value, whatever characters it has") func exactKeys() throws {
    let keys = [
      "", " ", "\0", "a\0b", "%41", "a&b=c", "a+b", "a#b?c", "é", "e\u{301}", "👩‍👩‍👧", "\u{202E}x", "\n", "\"", "\\",
      "</script>", "\u{FEFF}", "\u{FFFF}",
    ]
    try workspace.transactAndWait { txn in
      for (index, key) in keys.enumerated() { txn.dictionary[key] = index }
    }
    let client = try openClient("--write")
    for (index, key) in keys.enumerated() {
      #expect(try client.json("/api/value", ["key": key])["text"] as? String == "\(index)", "\(key.debugDescription)")
      #expect(
        try client.post("/api/set", ["namespace": "", "key": key, "commit": 1, "text": "\(index + 1000)"]).status == 200
      )
      #expect(
        try client.json("/api/value", ["key": key])["text"] as? String == "\(index + 1000)", "\(key.debugDescription)")
    }
    let listed = try level(client, limit: 500).compactMap { $0["key"] as? String }
    #expect(listed.map { Array($0.utf8) } == keys.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    // What can't be seen is shown as an escape sequence.
    let texts = try level(client, limit: 500).compactMap { $0["name"] as? String }
    #expect(texts.contains(#""\u202ex""#) && !texts.joined().contains("\u{202E}"))
  }

  @Test("Values are shown as get prints them on a terminal") func values() throws {
    try web.kvtool("set", "list", #"{"b": [1, true], "a": "x"}"#, "--json")
    try workspace.transactAndWait { txn in
      txn.dictionary["text"] = "two\nlines"
      txn.dictionary["bytes"] = Data([0, 255])
      txn.dictionary["float"] = Float(0.1)
      txn.dictionary["nan"] = Double.nan
      txn.dictionary["return"] = "a\r\nb"
    }
    let client = try openClient()
    let shown = [
      "list": "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    true\n  ]\n}", "text": #""two\nlines""#, "bytes": "00ff",
      "float": "0.1", "nan": "nan",
    ]
    for (key, text) in shown { #expect(try client.json("/api/value", ["key": key])["text"] as? String == text) }
    #expect(try client.json("/api/value", ["key": "text"])["editable"] as? String == "two\nlines")
    // A text field would turn the line break into another one.
    #expect(try client.json("/api/value", ["key": "return"])["editable"] is NSNull)
    #expect(try client.json("/api/value", ["key": "absent"])["type"] is NSNull)
  }

  @Test("A value of 100 MB is listed, and not sent") func hugeValue() throws {
    try workspace.transactAndWait { txn in
      txn.dictionary["huge"] = String(repeating: "x", count: 100_000_000)
      txn.dictionary["later"] = 1
    }
    let client = try openClient()
    let before = web.residentBytes
    let keys = try client.get("/api/keys?namespace=&prefix=&limit=100")
    #expect(keys.body.count < 1000)
    #expect(entries(try client.object(keys)).map { $0["size"] as? String } == ["95.4 MiB", "8 bytes"])
    let value = try client.get("/api/value?namespace=&key=huge")
    #expect(value.body.count < 1000 && value.text.contains("too large to show here"))
    // SQLite has read it once; the server keeps no copy.
    #expect(web.residentBytes - before < 150_000_000)
  }

  @Test("A change of a value that has changed meanwhile is refused") func conflicts() throws {
    workspace.dictionary["volume"] = 0.5
    try workspace.dictionary.synchronize()
    let client = try openClient("--write")
    let commit = try client.json("/api/value", ["key": "volume"])["commit"] as? Int
    try web.kvtool("set", "volume", "0.6")
    for path in ["/api/set", "/api/delete"] {
      let refused = try client.post(path, ["namespace": "", "key": "volume", "commit": commit, "text": "0.7"])
      #expect(refused.status == 409 && refused.text.contains("has changed meanwhile"))
      #expect(try client.post(path, ["namespace": "", "key": "volume", "commit": nil, "text": "0.7"]).status == 409)
    }
    #expect(try web.kvtool("get", "volume").output == "0.6\n")
    let now = try client.json("/api/value", ["key": "volume"])["commit"] as? Int
    // The key keeps its type, which the text must have.
    let wrong = try client.post("/api/set", ["namespace": "", "key": "volume", "commit": now, "text": "loud"])
    #expect(wrong.status == 500 && wrong.text.contains("is not a double"))
    #expect(
      try client.post("/api/set", ["namespace": "", "key": "volume", "commit": now, "text": "0.7"]).status == 200)
    #expect(try web.kvtool("keys", "--long").output.hasPrefix("double"))
    let new = try client.json("/api/value", ["key": "volume"])["commit"] as? Int
    let typed: [String: Any?] = ["namespace": "", "key": "volume", "commit": new, "text": "7", "type": "int"]
    #expect(try client.post("/api/set", typed).status == 200)
    let last = try client.json("/api/value", ["key": "volume"])
    #expect(last["type"] as? String == "int")
    #expect(try client.post("/api/delete", ["namespace": "", "key": "volume", "commit": last["commit"]]).status == 200)
    #expect(try web.kvtool("get", "volume").status == 2)
  }

  @Test("A key that expires is shown with its time, which a change on the page keeps") func lifetimes() throws {
    try web.kvtool("set", "session", "a", "--ttl", "1h")
    try web.kvtool("set", "lasting", "a")
    let client = try openClient("--write")
    let shown = try client.json("/api/value", ["key": "session"])
    let expires = try #require(shown["expires"] as? String)
    let change: [String: Any?] = ["namespace": "", "key": "session", "commit": shown["commit"], "text": "b"]
    #expect(try client.post("/api/set", change).status == 200)
    let changed = try client.json("/api/value", ["key": "session"])
    #expect(changed["text"] as? String == #""b""# && changed["expires"] as? String == expires)
    #expect(try web.kvtool("get", "session", "--format", "ndjson").output.contains("\"expires\":\"\(expires)\""))
    #expect(try client.json("/api/value", ["key": "lasting"])["expires"] == nil)
  }

  @Test("A page without the key adds nothing to a sealed namespace; one with it reads and writes sealed values")
  func sealedNamespaces() throws {
    let key = ["KVTOOL_SEAL_KEY": String(repeating: "0a", count: 32)]
    try web.kvtool("set", "plain", "1")
    web.environment = key
    try web.kvtool("set", "token", "hunter2", "-n", "vault")
    web.environment = [:]
    let addition: [String: Any?] = ["namespace": "vault", "key": "new", "commit": nil, "text": "x"]
    let refused = try openClient("--write").post("/api/set", addition)
    #expect(refused.status == 500 && refused.text.contains("namespace is sealed"), "\(refused.text)")
    #expect(try web.kvtool("keys", "-n", "vault").output == "token\n")

    web.environment = key
    let client = try openClient("--write")
    let token = try client.json("/api/value", ["namespace": "vault", "key": "token"])
    #expect(token["text"] as? String == #""hunter2""# && token["type"] as? String == "string")
    #expect(try level(client, namespace: "vault", limit: 10).map { $0["text"] as? String } == [#""hunter2""#])
    #expect(try client.json("/api/value", ["key": "plain"])["text"] as? String == #""1""#)
    #expect(try client.post("/api/set", addition).status == 200)
    #expect(try web.kvtool("get", "new", "-n", "vault").output == "x\n")
    web.environment = [:]
    #expect(try web.kvtool("type", "new", "-n", "vault").output == "sealed\n")
  }

  // MARK: Objects

  @Test("Objects are listed with conditions, orders and pages, and mistakes name their column") func objects() throws {
    try workspace.transactAndWait([Blog.Article.self]) { txn in
      for number in 0..<250 {
        try txn.insert(Blog.Article(title: "Article \(number)", author: "Ada", stars: Int32(number)))
      }
      try txn.insert(Blog.Article(title: "large", stars: 1000, body: String(repeating: "x", count: 10_000_000)))
    }
    let client = try openClient()
    let tables = try client.json("/api/tables")["tables"] as? [[String: Any]]
    #expect(tables?.map { $0["name"] as? String } == ["Blog.Article"] && tables?.first?["objects"] as? Int == 251)
    #expect((tables?.first?["schema"] as? String)?.contains("table Article") == true)
    let table = try #require(tables?.first?["table"] as? String)
    let page = try client.json(
      "/api/objects",
      ["table": table, "where": "stars >= 100 && stars < 1000", "order": "stars:desc", "offset": "10", "limit": "20"])
    let rows = try #require(page["rows"] as? [[String: Any]])
    #expect(page["columns"] as? [String] == ["title", "author", "stars", "tags", "body"])
    #expect(rows.count == 20 && page["hasMore"] as? Bool == true)
    #expect((rows[0]["cells"] as? [Any])?.prefix(3).map { $0 as? String } == ["Article 239", "Ada", "239"])
    #expect((rows[0]["object"] as? String)?.contains(#""title": "Article 239""#) == true)
    let large = try client.get("/api/objects?table=\(table)&where=stars%3D%3D1000&limit=10")
    #expect(large.status == 200 && large.body.count < 20_000)
    for (condition, column) in [("stars > ", 9), ("stas > 1", 1), ("stars > 1 && author == 3", 24)] {
      let answer = try client.get(
        "/api/objects?table=\(table)&where=\(condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
      )
      #expect(answer.status == 400)
      #expect(try client.object(answer)["column"] as? Int == column, "\(answer.text)")
    }
    #expect(try client.get("/api/objects?table=\(table)&order=stars:up").status == 400)
    #expect(try client.get("/api/objects?table=none").status == 400)
  }

  // MARK: Files

  @Test("A file that is damaged, missing or replaced gives errors, and then its content again") func files() throws {
    workspace.dictionary["key"] = "first"
    try workspace.dictionary.synchronize()
    workspace.shutdown()
    let client = try openClient()
    let events = try HTTPConnection(port: web.port)
    events.send(client.head("GET", web.base + "/api/events"))
    #expect(try events.receive(to: "\n\n").contains(#"key = \"first\""#))
    let other = web.folder.appending(path: "other.db")
    try FileManager.default.moveItem(at: web.database, to: other)
    let missing = try client.get("/api/keys")
    #expect(missing.status == 500 && missing.text.contains("there is no database at app.db"))
    // The open pages are told without a request of theirs.
    #expect(try events.receive(to: "\n\n").contains("there is no database at app.db"))
    try Data("no database, but a file that is long enough".utf8).write(to: web.database)
    #expect(try client.get("/api/keys").status == 500)
    try FileManager.default.removeItem(at: web.database)
    try web.kvtool("set", "key", "second")
    #expect(entries(try client.json("/api/keys")).first?["text"] as? String == #""second""#)
    while try !events.receive(to: "\n\n").contains(#"key = \"second\""#) {}
    try web.kvtool("set", "key", "third")
    #expect(try events.receive(to: "\n\n").contains(#"key = \"third\""#))
  }

  @Test("If an older file is copied into the open one, the open pages begin again with its commits") func restored()
    throws
  {
    workspace.dictionary["key"] = "first"
    try workspace.dictionary.synchronize()
    workspace.shutdown()
    #expect(try web.kvtool("backup", "backup.db").status == 0)
    for value in ["second", "third"] { #expect(try web.kvtool("set", "key", value).status == 0) }
    let client = try openClient()
    let events = try HTTPConnection(port: web.port)
    events.send(client.head("GET", web.base + "/api/events"))
    #expect(try events.receive(to: "\n\n").contains(#"key = \"third\""#))
    #expect(try web.restore("backup.db") == 0)
    // While the file is being copied, it may be locked, which the pages are told.
    var beginning = ""
    repeat { beginning = try events.receive(to: "\n\n") } while beginning.contains(#""problem":""#)
    #expect(beginning.contains(#""isBeginning":true"#) && beginning.contains(#"key = \"first\""#))
    #expect(!beginning.contains("second") && !beginning.contains("third"))
  }

  @Test("The server says on the command line why it doesn't start, and ends with 0 when it is interrupted")
  func startAndEnd() throws {
    workspace.dictionary["key"] = 1
    try workspace.dictionary.synchronize()
    for signal in [SIGINT, SIGTERM] {
      try web.start()
      #expect(web.url.hasPrefix("http://127.0.0.1:"))
      // An open page doesn't keep the server from ending.
      var client = WebClient(web)
      try client.open()
      let events = try HTTPConnection(port: web.port)
      events.send(client.head("GET", web.base + "/api/events"))
      _ = try events.receive(to: "\n\n")
      #expect(web.end(by: signal) == 0)
    }
    try web.start()
    let port = "\(web.port)"
    let second = try web.kvtool("web", "--port", port)
    #expect(
      second.status == 1 && second.error == "kvtool: another program uses this port: name another one with --port\n")
    #expect(second.output.isEmpty)
    #expect(try web.kvtool("web", "--port", "65536").status == 64)
    let empty = try WebProcess()
    let missing = try empty.kvtool("web")
    #expect(missing.status == 1 && missing.error.hasPrefix("kvtool: there is no database at app.db"))
    try Data("no database, but a file that is long enough".utf8).write(to: empty.database)
    #expect(try empty.kvtool("web").status == 5)
  }
}
