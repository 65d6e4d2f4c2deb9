#if Web
  import DflatCore
  import DflatKV
  import DflatSupport

  /// Answers the page's requests about keys.
  struct KeyReader {
    /// The largest value that is shown, in bytes, and the most characters of it.
    private static let largestValue = 1 << 20
    private static let longestText = 1 << 17
    private static let longestPreview = 160
    private static let mostNamespaces = 1000

    let file: ServedFile

    /// Returns the names of the namespaces, and the root's whether or not it has keys.
    func namespaces() throws -> JSONValue {
      let names = try file.current().database.workspace.dictionary.namespaces()
      let all = [""] + names.filter { !$0.isEmpty }
      return .object(
        JSONObject([
          "namespaces": .array(
            all.prefix(Self.mostNamespaces).map { name in
              .object(
                JSONObject([
                  "namespace": .string(name), "name": .string(name.isEmpty ? "(root)" : WebText.name(name)),
                ]))
            }),
          "hasMore": .bool(all.count > Self.mostNamespaces),
        ]))
    }

    /// Returns a level of the tree.
    func level(in namespace: String, prefix: String, after position: KeyPosition?, limit: Int) throws -> JSONValue {
      let database = try file.current().database
      return try database.workspace.fetchWithinASnapshot {
        let level = try KeyLevel(
          of: database.shownDictionary(namespace), prefix: prefix, after: position, limit: limit)
        return .object(
          JSONObject([
            "entries": .array(level.entries.map { json($0, under: prefix) }), "hasMore": .bool(level.hasMore),
            "commit": JSONValue(database.workspace.commitNumber),
          ]))
      }
    }

    /// Returns a key with its whole value, unless that is too large; its type is null if the key is absent.
    func value(of key: String, in namespace: String) throws -> JSONValue {
      let dictionary = try file.current().database.shownDictionary(namespace)
      let found = try dictionary.firstKey(withPrefix: key, after: nil, valueUpTo: Self.largestValue)
      guard let found, found.key.hasSameBytes(as: key) else {
        return .object(JSONObject(["name": .string(WebText.name(key)), "type": .null, "commit": .null]))
      }
      var members = self.members(of: found)
      members.append(.init(name: "name", value: .string(WebText.name(key))))
      if let date = found.expirationDate {
        members.append(.init(name: "expires", value: JSONValue(date)))
      }
      if let value = found.value {
        do throws(ValueFailure) {
          members += JSONObject.members(of: try wholeText(value))
          members.append(.init(name: "editable", value: try editableText(value).map { .string($0) } ?? .null))
        } catch {
          members.append(.init(name: "problem", value: .string(WebText(error.message, limit: 500).text)))
        }
      } else if found.problem == nil {
        let text = "The value is too large to show here: \(TopSample.size(Int64(found.byteCount)))."
        members.append(.init(name: "problem", value: .string(text)))
      }
      return JSONObject(unsorted: members).map { .object($0) } ?? .null
    }

    /// Returns the text that `kvtool get` prints on a terminal.
    private func wholeText(_ value: StoredValue) throws(ValueFailure) -> WebText {
      let bytes = try ValuePrinter(.auto, isTerminal: true, endsLines: false).bytes(value)
      return WebText(String(decoding: bytes, as: UTF8.self), limit: Self.longestText)
    }

    /// Returns the text that is this value for `kvtool set`; nil if a text field would change it or can't hold it.
    private func editableText(_ value: StoredValue) throws(ValueFailure) -> String? {
      let text: String?
      switch value {
      case .string(let string): text = string.utf8.contains(0) || string.utf8.contains(0x0d) ? nil : string
      case .propertyList: text = JSONWriter.string(try value.plainJSON(), layout: .indented)
      case .data, .flatBuffers, .sealed: text = nil
      case .bool, .int, .uint, .float, .double: text = try value.rawText()
      }
      return text.flatMap { $0.utf8.count <= Self.longestText ? $0 : nil }
    }

    private func json(_ entry: KeyLevel.Entry, under prefix: String) -> JSONValue {
      func rest(of name: String) -> String {
        let rest = name.utf8.dropFirst(prefix.utf8.count)
        return WebText.name(rest.isEmpty ? name : String(rest) ?? name)
      }
      switch entry {
      case .group(let group):
        return .object(JSONObject(["group": .string(group), "name": .string(rest(of: group))]))
      case .key(let summary):
        var members = self.members(of: summary)
        members.append(.init(name: "name", value: .string(rest(of: summary.key))))
        if let value = summary.value {
          do throws(ValueFailure) {
            members += JSONObject.members(of: try .line(of: value, limit: Self.longestPreview))
          } catch {
            members.append(.init(name: "problem", value: .string(WebText(error.message, limit: 500).text)))
          }
        }
        return JSONObject(unsorted: members).map { .object($0) } ?? .null
      }
    }

    private func members(of summary: KeySummary) -> [JSONObject.Member] {
      var members: [JSONObject.Member] = [
        .init(name: "key", value: .string(summary.key)),
        .init(name: "type", value: .string(summary.kind?.rawValue ?? "unknown")),
        .init(name: "size", value: .string(TopSample.size(Int64(summary.byteCount)))),
        .init(name: "commit", value: JSONValue(summary.commitNumber)),
      ]
      if let problem = summary.problem {
        let text = WebText(ToolError(problem).message, limit: 500).text
        members.append(.init(name: "problem", value: .string(text)))
      }
      return members
    }
  }
#endif
