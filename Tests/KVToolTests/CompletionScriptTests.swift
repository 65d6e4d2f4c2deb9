import Foundation
import Testing

/// The scripts by which shells complete command lines.
@Suite(.timeLimit(.minutes(15))) struct CompletionScriptTests {
  let kvtool: KVToolRunner

  init() throws {
    kvtool = try KVToolRunner()
  }

  @Test(
    "Bash completes commands, what follows them, and files, behind options that precede the command",
    arguments: [
      ("--db x.db ke", "keys"), ("--db x.db -n a keys --pre", "--prefix"), ("--timeout 1 cluster sta", "status"),
      ("--db te", "test.db"), ("--tim", "--timeout"), ("keys --pre", "--prefix"), ("keys --db te", "test.db"),
    ])
  func bash(words: String, expected: String) async throws {
    try await kvtool("set", "a", "1")
    let outcome = try await kvtool.shell(
      #"""
      bash -c '
        eval "$(kvtool --generate-completion-script bash)"
        COMP_WORDS=(kvtool "$@") COMP_CWORD=$# COMP_LINE="kvtool $*" COMP_POINT=${#COMP_LINE}
        _kvtool kvtool "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"
      ' bash \#(words)
      """#)
    #expect(outcome.lines.contains(expected), "\(outcome.output)")
  }

  @Test("The scripts of zsh and fish know the options that may precede the command") func otherShells() async throws {
    let zsh = try await kvtool("--generate-completion-script", "zsh").output
    let root = zsh.range(of: "_kvtool_get()").map { zsh[..<$0.lowerBound] }
    #expect(root?.contains("--db[") == true && root?.contains("--timeout[") == true, "\(zsh)")
    let fish = try await kvtool("--generate-completion-script", "fish").lines
    // Those of a command have its name behind "kvtool".
    #expect(fish.contains { $0.contains(#""kvtool" "#) && $0.contains("-l 'db'") }, "\(fish)")
  }
}
