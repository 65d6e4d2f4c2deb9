import EtcdTestSupport
import Foundation
import Testing

/// Headless Chromium, driven by its WebDriver (https://www.w3.org/TR/webdriver2/).
final class Browser {
  /// A command that failed, with the driver's answer.
  struct Failure: Error {
    let answer: String
  }

  private let driver: ChildProcess
  private let profile: URL
  private let port: UInt16
  private var session = ""

  init() throws {
    profile = FileManager.default.temporaryDirectory.appending(path: "chromium-\(UUID())")
    try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
    let output = Pipe()
    driver = try ChildProcess(
      ["chromedriver", "--port=0"], environment: ["HOME": profile.path()],
      output: output.fileHandleForWriting.fileDescriptor)
    try output.fileHandleForWriting.close()
    let announcement = /started successfully on port (\d+)/
    var text = ""
    while true {
      if let found = text.firstMatch(of: announcement), let port = UInt16(found.1) {
        self.port = port
        break
      }
      let bytes = output.fileHandleForReading.availableData
      if bytes.isEmpty { throw Failure(answer: text) }
      text += String(decoding: bytes, as: UTF8.self)
    }
    // Chromium's sandbox doesn't run as root.
    let arguments =
      ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=\(profile.path())"]
      + (getuid() == 0 ? ["--no-sandbox"] : [])
    let options: [String: Any] = [
      "goog:chromeOptions": ["args": arguments], "goog:loggingPrefs": ["browser": "ALL"],
      "timeouts": ["script": 60_000],
    ]
    let answer = try call("POST", "/session", ["capabilities": ["alwaysMatch": options]])
    session = try #require((answer as? [String: Any])?["sessionId"] as? String)
    try resize(width: 1200, height: 760)
  }

  deinit {
    _ = try? call("DELETE", "/session/\(session)")
    driver.signal(SIGKILL)
    _ = driver.wait()
    try? FileManager.default.removeItem(at: profile)
  }

  @discardableResult
  private func call(_ method: String, _ path: String, _ json: Any? = nil) throws -> Any? {
    let body = try json.map { try JSONSerialization.data(withJSONObject: $0) }
    let connection = try HTTPConnection(port: port)
    connection.send(
      "\(method) \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body?.count ?? 0)\r\n\r\n")
    connection.send(body ?? Data())
    let response = try connection.response()
    let answer = try JSONSerialization.jsonObject(with: response.body) as? [String: Any]
    guard response.status == 200 else { throw Failure(answer: "\(answer ?? [:])") }
    return answer?["value"]
  }

  /// Opens a page, and returns when it has loaded.
  func open(_ url: String) throws { try call("POST", "/session/\(session)/url", ["url": url]) }

  /// Runs a function's body in the page, and returns what it returns.
  @discardableResult
  func run(_ script: String) throws -> Any? {
    try call("POST", "/session/\(session)/execute/sync", ["script": script, "args": [Any]()])
  }

  func text(_ expression: String) throws -> String { try run("return String(\(expression))") as? String ?? "" }

  /// Waits until an expression is true: now, or after a change of the page.
  func wait(until condition: String) throws {
    let script = """
      const done = arguments[0];
      const check = () => {
        if (!(\(condition))) return;
        observer.disconnect();
        done(true);
      };
      const observer = new MutationObserver(check);
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      check();
      """
    do { try call("POST", "/session/\(session)/execute/async", ["script": script, "args": [Any]()]) } catch {
      throw Failure(answer: "\(condition): \(error), \(try text("document.body.innerText"))")
    }
  }

  /// The messages of the browser's console, such as violations of the page's policy.
  func messages() throws -> [String] {
    let log = try call("POST", "/session/\(session)/se/log", ["type": "browser"]) as? [[String: Any]]
    return log?.compactMap { $0["message"] as? String } ?? []
  }

  // MARK: Pictures

  private func devTools(_ command: String, _ parameters: [String: Any]) throws {
    try call("POST", "/session/\(session)/goog/cdp/execute", ["cmd": command, "params": parameters])
  }

  func resize(width: Int, height: Int) throws {
    try devTools(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
  }

  func setColors(dark: Bool) throws {
    try devTools(
      "Emulation.setEmulatedMedia",
      [
        "features": [
          ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"],
          ["name": "prefers-reduced-motion", "value": "reduce"],
        ]
      ])
  }

  /// Returns a picture of the window, as PNG.
  func picture() throws -> Data {
    let text = try call("GET", "/session/\(session)/screenshot") as? String
    return try #require(text.flatMap { Data(base64Encoded: $0) })
  }
}
