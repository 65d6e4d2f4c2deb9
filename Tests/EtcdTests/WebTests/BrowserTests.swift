import DflatKV
import Foundation
import Testing

/// The page of `kvtool web` in headless Chromium.
@Suite(.serialized, .timeLimit(.minutes(15))) struct BrowserTests {
  private let web: WebProcess
  private let browser: Browser

  init() throws {
    // The name of the file is a text of the page, too.
    web = try WebProcess(file: Self.markup("file") + ".db")
    browser = try Browser()
  }

  /// A text that runs a script if it is taken for markup, and tells which one it was.
  private static func markup(_ place: String) -> String { "<img src=x onerror=\"window.ran='\(place)'\">" }

  /// Creates a file of an application with a few keys and objects.
  private func fill(_ path: String) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    let writes: [(WorkspaceDictionary) -> Void] = [
      { $0["volume"] = 0.5 }, { $0["theme"] = "dark" }, { $0["window.width"] = 1280 }, { $0["window.height"] = 800 },
      { $0["user.name"] = "Ada" }, { $0["user.age"] = 36 }, { $0["user.tags"] = ["admin", "early"] },
      { $0["lastOpened"] = ["path": "/notes/today.md", "line": "12"] },
    ]
    for write in writes { try workspace.transactAndWait { txn in write(txn.dictionary) } }
    try workspace.transactAndWait([Blog.Article.self]) { txn in
      for (number, title) in ["Analytical engines", "Bernoulli numbers", "Notes on translation"].enumerated() {
        try txn.insert(
          Blog.Article(title: title, author: number == 2 ? "Luigi" : "Ada", stars: Int32(5 - number), tags: ["notes"]))
      }
    }
    try workspace.transactAndWait { txn in
      txn.dictionary.namespace("cache")["page/start"] = true
      txn.dictionary.namespace("cache")["page/search"] = false
    }
  }

  private func openPage(_ arguments: String...) throws {
    if arguments.isEmpty { try web.start() } else { try web.start(arguments[0]) }
    try browser.open(web.url)
    try browser.wait(until: "document.getElementById('live').textContent === 'live' && document.querySelector('.key')")
  }

  /// Opens all groups of the tree.
  private func openGroups() throws {
    for _ in 0..<2 {
      try browser.run("for (const group of document.querySelectorAll('.tree details')) group.open = true;")
      try browser.wait(
        until: "[...document.querySelectorAll('.tree details ul')].every(list => list.children.length > 0)")
    }
  }

  private func keys() throws -> String {
    try browser.text(
      "[...document.querySelectorAll('.key')].map(key => [...key.children].map(part => part.textContent).join(' ')).join('\\n')"
    )
  }

  private func click(key: String) throws {
    try browser.run(
      "[...document.querySelectorAll('.key')].find(key => key.firstChild.textContent === '\(key)').click()")
  }

  @Test("The page shows keys as a tree, decoded values, objects by a condition, and the newest commits")
  func rendering() throws {
    try fill(web.database.path(percentEncoded: false))
    try openPage()
    try openGroups()
    #expect(
      try keys() == """
        lastOpened plist {"line":"12","path":"/notes/today.md"}
        theme string "dark"
        age int 36
        name string "Ada"
        tags plist ["admin","early"]
        volume double 0.5
        height int 800
        width int 1280
        search bool false
        start bool true
        """)
    #expect(try browser.text("document.querySelector('.badge').textContent") == "read-only")
    try click(key: "tags")
    try browser.wait(until: "document.getElementById('value-text').textContent.includes('\"early\"')")
    let hidden = "document.getElementById('edit').hidden && document.getElementById('creation').hidden"
    #expect(try browser.text(hidden) == "true")
    let newest = "document.querySelector('#log li .text').textContent"
    #expect(try browser.text(newest).hasPrefix("[cache] page/"))

    try browser.run("document.getElementById('tab-objects').click()")
    try browser.wait(until: "document.querySelectorAll('#rows tr').length === 3")
    try browser.run(
      """
      document.getElementById('where').value = 'author == "Ada" && stars > 3';
      document.getElementById('order').value = 'title:desc';
      document.querySelector('#query button').click();
      """)
    try browser.wait(until: "document.querySelector('#rows td')?.textContent === 'Bernoulli numbers'")
    #expect(try browser.text("document.getElementById('rows-note').textContent") == "2 objects")
    try browser.run(
      """
      document.getElementById('where').value = 'author == "Ada" && sars > 3';
      document.querySelector('#query button').click();
      """)
    try browser.wait(until: "!document.getElementById('mistake').hidden")
    #expect(try browser.text("document.getElementById('mistake-text').textContent").hasPrefix("Column 20: "))
    #expect(try browser.text("document.getElementById('where').selectionStart") == "19")
    try browser.run("document.getElementById('tab-activity').click()")
    try browser.wait(until: "document.getElementById('activity').textContent.includes('commits/s')")
    #expect(try browser.messages().filter { !$0.contains("400 (Bad Request)") } == [])

    // The session belongs to the browser that came first.
    let second = try Browser()
    try second.open(web.url)
    #expect(try second.text("document.body.innerText").contains("which works once"))
  }

  @Test("Another process's commit arrives by itself, in the tree, in an open value, and among the commits")
  func commits() throws {
    try fill(web.database.path(percentEncoded: false))
    try openPage()
    try openGroups()
    try click(key: "age")
    try browser.wait(until: "document.getElementById('value-text').textContent === '36'")
    var delays: [Double] = []
    for age in 37..<47 {
      let isShown = """
        document.querySelector('#log li .text').textContent === 'user.age = \(age)'
          && document.getElementById('value-text').textContent === '\(age)'
          && [...document.querySelectorAll('.key')].some(key => key.textContent === 'ageint\(age)')
        """
      // The page notes the time itself, as the driver would come later.
      try browser.run(
        """
        window.shownAt = null;
        const check = () => {
          if (!(\(isShown))) return;
          observer.disconnect();
          window.shownAt = Date.now();
          document.body.dataset.age = \(age);
        };
        const observer = new MutationObserver(check);
        observer.observe(document, { subtree: true, childList: true, characterData: true });
        """)
      let began = Date.now
      #expect(try web.kvtool("set", "user.age", "\(age)").status == 0)
      try browser.wait(until: "document.body.dataset.age === '\(age)'")
      let shown = try #require(Double(try browser.text("window.shownAt")))
      delays.append(shown - began.timeIntervalSince1970 * 1000)
    }
    delays.sort()
    print(
      "From the start of 'kvtool set' until the page shows the value: median \(Int(delays[5])) ms, longest \(Int(delays[9])) ms"
    )
    // A group, a namespace and objects that are new.
    try web.kvtool("set", "new.a", "1")
    try web.kvtool("set", "new.b", "2")
    try browser.wait(until: "[...document.querySelectorAll('summary')].some(group => group.textContent === 'new.')")
    try web.kvtool("set", "x", "1", "--namespace", "other")
    try browser.wait(until: "[...document.querySelectorAll('summary')].some(group => group.textContent === 'other')")
    try browser.run("document.getElementById('tab-objects').click()")
    try browser.wait(until: "document.querySelectorAll('#rows tr').length === 3")
    try web.kvtool("delete", "--from", "Article", "--where", "stars == 5")
    try browser.wait(until: "document.querySelectorAll('#rows tr').length === 2")
    #expect(try browser.messages() == [])
  }

  @Test("No text of a file becomes markup: keys, namespaces, values, objects, paths and messages") func markup() throws
  {
    let workspace = try SQLiteWorkspace.open(filePath: web.database.path(percentEncoded: false))
    let script = "</script><script>window.ran='script'</script>"
    try workspace.transactAndWait([Blog.Article.self]) { txn in
      txn.dictionary[Self.markup("key")] = Self.markup("value")
      txn.dictionary["<b>.1"] = [Self.markup("list"), script]
      txn.dictionary["<b>.2"] = [Self.markup("name"): "<svg onload=window.ran='svg'>"]
      txn.dictionary["\u{202E}live\u{2066}"] = "\u{202E}txet\u{0}"
      txn.dictionary["javascript:window.ran=1"] = "<a href=javascript:window.ran=1>"
      txn.dictionary.namespace(Self.markup("namespace"))["k" + script] = script
      try txn.insert(
        Blog.Article(
          title: Self.markup("field"), author: script, tags: [Self.markup("tag")], body: "{{7*7}} ${window.ran=1}"))
    }
    try workspace.transactAndWait { txn in txn.dictionary.removeAll(withPrefix: Self.markup("key") + "x") }
    try openPage("--write")
    try openGroups()
    let clean = """
      window.ran === undefined && document.scripts.length === 1
        && document.querySelectorAll('img, svg, b, a, iframe, style, [onerror], [onload]').length === 0
      """
    func expectClean(_ place: String) throws { #expect(try browser.text(clean) == "true", "\(place)") }
    #expect(try browser.text("document.body.textContent").contains("window.ran='value'"))
    try expectClean("tree")
    let count = Int(try browser.text("document.querySelectorAll('.key').length")) ?? 0
    #expect(count == 6)
    for index in 0..<count {
      let name = try browser.text("document.querySelectorAll('.key')[\(index)].firstChild.textContent")
      try browser.run("document.querySelectorAll('.key')[\(index)].click()")
      try browser.wait(until: "document.getElementById('value-facts').textContent.includes('commit')")
      try expectClean(name)
    }
    // What reverses text is shown as an escape sequence, so that it reverses nothing.
    let visible = try browser.text("document.body.textContent")
    #expect(visible.contains(#"\u202elive\u2066"#) && visible.contains(#"\u202etxet\u0000"#))
    #expect(!visible.contains("\u{202E}") && !visible.contains("\u{2066}"))
    // A commit that arrives, and an error about it.
    try web.kvtool("set", "<i>late</i>", Self.markup("late"))
    try browser.wait(until: "document.getElementById('log').textContent.includes(\"window.ran='late'\")")
    try browser.run(
      """
      document.getElementById('new-key').click();
      document.getElementById('edit-namespace').value = '';
      document.getElementById('edit-key').value = '<i>late</i>';
      document.getElementById('save').click();
      """)
    try browser.wait(until: "document.getElementById('edit-problem').textContent.includes('has changed meanwhile')")
    try expectClean("message")
    try browser.run("document.getElementById('tab-objects').click()")
    try browser.wait(until: "document.querySelectorAll('#rows tr').length === 1")
    try browser.run("document.querySelector('#rows button').click()")
    try expectClean("objects")
    try browser.run(
      """
      document.getElementById('where').value = "<img src=x onerror=window.ran='where'>";
      document.querySelector('#query button').click();
      """)
    try browser.wait(until: "!document.getElementById('mistake').hidden")
    try browser.run(
      """
      document.getElementById('where').value = "title == <img";
      document.querySelector('#query button').click();
      """)
    try expectClean("mistake")
    // The page couldn't add markup if its script tried.
    let attempt = "try { document.body.innerHTML = '<img src=x>'; return 'written' } catch { return 'refused' }"
    #expect(try browser.run(attempt) as? String == "refused")
    #expect(
      try browser.messages().filter {
        !$0.contains("(Bad Request)") && !$0.contains("(Conflict)") && !$0.contains("TrustedHTML")
      } == [])
  }

  @Test("With --write, the page sets and deletes keys as the commands do") func writing() throws {
    try fill(web.database.path(percentEncoded: false))
    try openPage("--write")
    try openGroups()
    func save(_ text: String, type: String = "") throws {
      try browser.run(
        """
        const [box, type] = ['edit-text', 'edit-type'].map(id => document.getElementById(id));
        box.value = '\(text)';
        box.dispatchEvent(new Event('input'));
        type.value = '\(type)';
        document.getElementById('save').click();
        """)
    }
    try click(key: "age")
    try browser.wait(until: "document.getElementById('edit-text').value === '36'")
    try save("37")
    try browser.wait(until: "document.getElementById('value-text').textContent === '37'")
    #expect(try web.kvtool("get", "user.age").output == "37\n")
    #expect(try web.kvtool("type", "user.age").output == "int\n")
    try save("old")
    try browser.wait(until: "document.getElementById('edit-problem').textContent.includes('is not an int')")
    // Another process is faster than the user.
    try web.kvtool("set", "user.age", "40")
    try browser.wait(until: "document.getElementById('edit-problem').textContent.includes('has changed meanwhile')")
    try save("38")
    try browser.wait(until: "document.getElementById('edit-problem').textContent.includes('nothing was written')")
    #expect(try web.kvtool("get", "user.age").output == "40\n")
    // A new key, which is then deleted.
    try browser.run(
      "document.getElementById('new-key').click(); document.getElementById('edit-key').value = 'user.list'")
    try save("[1, 2]", type: "json")
    try browser.wait(until: "document.getElementById('value-facts').textContent.startsWith('plist')")
    #expect(try web.kvtool("get", "user.list").output == "[1,2]\n")
    try browser.run("document.getElementById('delete').click()")
    #expect(try web.kvtool("exists", "user.list").status == 0)
    try browser.run("document.getElementById('delete').click()")
    try browser.wait(until: "document.getElementById('value-facts').textContent === 'There is no such key.'")
    #expect(try web.kvtool("exists", "user.list").status == 2)
    // A key that expires.
    try web.kvtool("set", "session", "a", "--ttl", "1h")
    try browser.wait(
      until: "[...document.querySelectorAll('.key')].some(key => key.firstChild.textContent === 'session')")
    try click(key: "session")
    try browser.wait(until: "document.getElementById('value-facts').textContent.includes(', expires 2')")
    #expect(
      try browser.messages().filter { !$0.contains("(Conflict)") && !$0.contains("(Internal Server Error)") } == [])
  }

  /// `DFLATKV_UPDATE_PICTURE=1` writes the pictures of the README: docs/images/web-light.png and web-dark.png.
  @Test("A page of the size in the README shows keys, a value and commits, light and dark") func picture() throws {
    let web = try WebProcess()
    try fill(web.database.path(percentEncoded: false))
    try web.start("--write")
    try browser.resize(width: 1200, height: 820)
    try browser.setColors(dark: false)
    try browser.open(web.url)
    try browser.wait(until: "document.querySelector('.key')")
    try openGroups()
    try click(key: "tags")
    try browser.wait(until: "document.getElementById('value-text').textContent.includes('\"early\"')")
    try web.kvtool("set", "volume", "0.8")
    try web.kvtool("incr", "user.age")
    try browser.wait(until: "document.querySelector('#log li .text').textContent === 'user.age = 37'")
    try browser.wait(until: "[...document.querySelectorAll('.key')].some(key => key.textContent === 'ageint37')")
    let folder = URL(filePath: #filePath).appending(path: "../../../../docs/images").standardized
    for name in ["light", "dark"] {
      try browser.setColors(dark: name == "dark")
      let picture = try browser.picture()
      // Neither an empty page nor one that is all of one color.
      #expect(picture.count > 20_000)
      if !(ProcessInfo.processInfo.environment["DFLATKV_UPDATE_PICTURE"] ?? "").isEmpty {
        try picture.write(to: folder.appending(path: "web-\(name).png"))
      }
    }
    // The same page on a small window has no part that is cut off.
    try browser.resize(width: 360, height: 640)
    #expect(try browser.text("document.documentElement.scrollWidth <= 360") == "true")
  }
}
