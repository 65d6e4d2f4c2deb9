import DflatBuffers
import Testing

/// Tables that contain tables of their own type.
@Suite struct DeepTests {
  /// flatc doesn't read JSON that is deeper than 64 levels, either.
  @Test("Dflat, flatc and Python agree on chains and trees of tables") func chainsAndTrees() async throws {
    let chain = Comparison(Deep.Chain.self, schema: "deep", root: "Deep.Chain")
    try await chain.check([1, 2, 60].map { Sample("\($0)links", links($0), linksJSON($0)) })
    let tree = Comparison(Deep.Tree.self, schema: "deep", root: "Deep.Tree")
    try await tree.check([
      Sample(
        "small", Deep.Tree(name: "root", branches: [Deep.Tree(name: "leaf"), Deep.Tree()]),
        #"{ "name": "root", "branches": [{ "name": "leaf" }, {}] }"#),
      Sample(
        "twig", Deep.Tree(twig: .tree(Deep.Tree(name: "t", twig: .chain(links(3))))),
        #"{ "twig_type": "Tree", "twig": { "name": "t", "twig_type": "Chain", "twig": \#(linksJSON(3)) } }"#),
      Sample("wide", fullTree(depth: 8), fullTreeJSON(depth: 8)),
    ])
  }

  private func links(_ count: Int) -> Deep.Chain {
    (1..<count).reduce(Deep.Chain(value: 0)) { Deep.Chain(value: Int32($1), next: $0) }
  }

  private func linksJSON(_ count: Int) -> String {
    (1..<count).reduce(#"{ "value": 0 }"#) { #"{ "value": \#($1), "next": \#($0) }"# }
  }

  private func fullTree(depth: Int) -> Deep.Tree {
    let branch = depth == 0 ? nil : fullTree(depth: depth - 1)
    return Deep.Tree(name: "level \(depth)", branches: branch.map { [$0, $0] })
  }

  private func fullTreeJSON(depth: Int) -> String {
    guard depth > 0 else { return #"{ "name": "level 0" }"# }
    let branch = fullTreeJSON(depth: depth - 1)
    return #"{ "name": "level \#(depth)", "branches": [\#(branch), \#(branch)] }"#
  }
}
