import DflatCore

/// The way to a part of a value: `a.b[0]`, or with names in quotes `a["b.c"][0]`.
struct ValuePath {
  enum Step: Equatable {
    case name(String)
    case index(Int)
  }

  let text: String
  let steps: [Step]

  /// Returns nil if the text is no path.
  init?(_ text: String) {
    self.text = text
    guard let steps = Self.steps(Array(text.utf8)) else {
      return nil
    }
    self.steps = steps
  }

  /// Returns the steps, or nil if the text is no path.
  private static func steps(_ bytes: [UInt8]) -> [Step]? {
    var steps: [Step] = []
    var rest = bytes[...]
    while let first = rest.first {
      if first == UInt8(ascii: "[") {
        // An index, or a name in quotes.
        guard let end = endOfBracket(rest), let step = bracketed(Array(rest[(rest.startIndex + 1)..<end])) else {
          return nil
        }
        steps.append(step)
        rest = rest[(end + 1)...]
      } else {
        // A dot separates a name from what precedes it.
        if !steps.isEmpty {
          guard first == UInt8(ascii: ".") else {
            return nil
          }
          rest = rest.dropFirst()
        }
        // A name extends to the next dot or bracket.
        let name = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        guard !name.isEmpty else {
          return nil
        }
        steps.append(.name(String(decoding: name, as: UTF8.self)))
        rest = rest[name.endIndex...]
      }
    }
    return steps.isEmpty ? nil : steps
  }

  /// Returns the index of the bracket that closes the first one. Brackets in a quoted name don't count.
  private static func endOfBracket(_ text: ArraySlice<UInt8>) -> Int? {
    var isQuoted = false
    var isEscaped = false
    for index in text.indices {
      switch text[index] {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isQuoted: isEscaped = true
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "]") where !isQuoted: return index
      default: break
      }
    }
    return nil
  }

  private static func bracketed(_ content: [UInt8]) -> Step? {
    switch try? JSONParser.parse(content) {
    case .string(let name)?: .name(name)
    case .int(let index)? where index >= 0: .index(Int(index))
    default: nil
    }
  }
}

extension ValuePath {
  /// Returns the part of the property list; nil if there is none.
  func part(of list: PropertyListNode) -> PropertyListNode? {
    part(of: list) { node, step in
      switch (node, step) {
      case (.dictionary(let members), .name(let name)): members.first { $0.key.hasSameBytes(as: name) }?.value
      case (.array(let nodes), .index(let index)) where index < nodes.count: nodes[index]
      default: nil
      }
    }
  }

  /// Returns the part of the JSON value; nil if there is none.
  func part(of json: JSONValue) -> JSONValue? {
    part(of: json) { value, step in
      switch (value, step) {
      case (.object(let object), .name(let name)): object[name]
      case (.array(let values), .index(let index)) where index < values.count: values[index]
      default: nil
      }
    }
  }

  private func part<Tree>(of tree: Tree, _ child: (Tree, Step) -> Tree?) -> Tree? {
    var part = tree
    for step in steps {
      guard let next = child(part, step) else {
        return nil
      }
      part = next
    }
    return part
  }
}
