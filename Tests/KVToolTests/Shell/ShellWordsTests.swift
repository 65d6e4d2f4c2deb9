import Testing

@testable import kvtool

/// Splitting a line of the shell into words.
@Suite struct ShellWordsTests {
  @Test(
    "A line is split into words as in a POSIX shell",
    arguments: [
      ("", []), ("  \t ", []), ("get volume", ["get", "volume"]), ("  get   a  ", ["get", "a"]),
      ("set 'a b' \"c d\"", ["set", "a b", "c d"]), ("set '' \"\"", ["set", "", ""]),
      (#"set a\ b c\'d e\\f"#, ["set", "a b", "c'd", #"e\f"#]),
      (#"set "a\"b" "c\\d" "e\nf""#, ["set", #"a"b"#, #"c\d"#, #"e\nf"#]),
      (#"set 'a\' x"#, ["set", #"a\"#, "x"]), ("set a'b'c\"d\"", ["set", "abcd"]),
      ("# a comment, isn't it", []), ("  # also", []), ("set # a", ["set", "#", "a"]), ("set a#b", ["set", "a#b"]),
      ("caf\u{e9} caf\u{65}\u{301}", ["caf\u{e9}", "caf\u{65}\u{301}"]),
    ] as [(String, [String])])
  func splits(line: String, words: [String]) {
    let split = ShellWords(line)
    #expect(split.texts.map { Array($0.utf8) } == words.map { Array($0.utf8) })
    #expect(!split.isIncomplete)
  }

  @Test(
    "JSON in brackets needs no quotes",
    arguments: [
      (#"set k {"a": [1, 2], "b": "x y"} --json"#, ["set", "k", #"{"a": [1, 2], "b": "x y"}"#, "--json"]),
      (#"set k ["]", "\"}"]"#, ["set", "k", #"["]", "\"}"]"#]),
      ("get k --path [0].a", ["get", "k", "--path", "[0].a"]),
      ("get k --path a[0]", ["get", "k", "--path", "a[0]"]), ("set k {}{} x", ["set", "k", "{}{}", "x"]),
    ])
  func keepsJSON(line: String, words: [String]) {
    let split = ShellWords(line)
    #expect(split.texts == words)
    #expect(!split.isIncomplete)
  }

  @Test(
    "A line that ends within a quote, a bracket or after a backslash goes on",
    arguments: ["set k 'a", "set k \"a", #"set k {"a": 1"#, #"set k ["}"#, #"set k \"#, #"set k "a\"#])
  func goesOn(line: String) {
    #expect(ShellWords(line).isIncomplete)
  }

  @Test("Lines that belong together are one command") func joinsLines() {
    #expect(ShellWords("set k 'a\nb'").texts == ["set", "k", "a\nb"])
    #expect(ShellWords("set \\\nk v").texts == ["set", "k", "v"])
    #expect(ShellWords("set k ab\\\ncd").texts == ["set", "k", "abcd"])
    #expect(ShellWords("set k {\n\"a\": 1\n}").texts == ["set", "k", "{\n\"a\": 1\n}"])
  }

  @Test("A carriage return before a newline is part of a text in quotes, and of no other word")
  func carriageReturns() {
    #expect(ShellWords("set k 'a\r\nb' \"c\r\nd\"\r").texts == ["set", "k", "a\r\nb", "c\r\nd"])
    #expect(ShellWords("set \\\r\nk v\r").texts == ["set", "k", "v"])
    #expect(ShellWords("# a comment\r").texts == [])
    var words = ShellWords("set k\\\r")
    #expect(words.isIncomplete)
    words.append(line: "l v\r")
    #expect(words.texts == ["set", "kl", "v"] && !words.isIncomplete)
  }

  @Test(
    "A command is the same, read line by line or at once",
    arguments: ["a 'b\nc'\nd", "a \\\nb c", "set k {\n\"a\": [\n1]}", "'\n\n'"])
  func readsLineByLine(command: String) {
    let lines = command.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var words = ShellWords(lines[0])
    for line in lines.dropFirst() { words.append(line: line) }
    #expect(words.texts == ShellWords(command).texts && words.isIncomplete == ShellWords(command).isIncomplete)
  }

  @Test("Every text can be typed: escaped in each kind of quotes, it is read back")
  func escapesAreReadBack() {
    // A combining mark makes one character of what precedes it.
    let letters = ["a", " ", "'", "\"", "\\", "{", "}", "[", "#", "\t", "\u{e9}", "\u{65}\u{301}", "\u{301}", "-", "$"]
    var texts = [""]
    for _ in 0..<3 {
      texts += texts.flatMap { text in letters.map { text + $0 } }
    }
    for text in Set(texts) {
      let typed = ShellWords.escaped(text, in: .none)
      if !text.isEmpty {
        #expect(ShellWords("x \(typed)").texts.last?.utf8.elementsEqual(text.utf8) == true, "\(typed)")
      }
      #expect(ShellWords("x '\(ShellWords.escaped(text, in: .single))'").texts.last == text)
      #expect(ShellWords("x \"\(ShellWords.escaped(text, in: .double))\"").texts.last == text)
    }
  }
}
