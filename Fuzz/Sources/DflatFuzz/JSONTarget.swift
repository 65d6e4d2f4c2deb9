import DflatSchema
import DflatSupport

@testable import DflatKV
@testable import kvtool

/// Tests arbitrary text as every kind of JSON that kvtool reads. Accepted text can be printed, and the printed text has
/// the same meaning.
func testJSON(_ bytes: UnsafeRawBufferPointer) {
  let text = [UInt8](bytes)
  if let value = try? JSONParser.parse(text) {
    checkPrinting(of: value)
    checkStoring(of: value)
    checkDocument(text)
  }
  if let value = try? JSONParser.parse(text, dialect: .flatc) {
    checkPrinting(of: value)
    checkFlatBuffer(ValueText(stream: text))
  }
  _ = try? TransactionOperation.parseLines(text)
  if text.count < 64 { for type in ValueType.allCases { _ = try? ValueText(stream: text).value(as: type) } }
}

private func checkPrinting(of value: JSONValue) {
  for layout in [JSONWriter.Layout.line, .indented] {
    let text = JSONWriter.string(value, layout: layout)
    require((try? JSONParser.parse(Array(text.utf8))) == value, "JSON is another value when it is printed: \(text)")
  }
}

/// Checks the value without a type, and as each type that accepts it.
private func checkStoring(of value: JSONValue) {
  if let stored = try? StoredValue(untyped: value) {
    require(
      attempt { try StoredValue(untyped: stored.plainJSON()) }.isSame(as: stored),
      "\(stored) is another value when it is shown")
  }
  for kind in StoredValue.Kind.allCases {
    guard let stored = try? StoredValue(value, kind: kind, schemaVersion: "1") else { continue }
    require(stored.kind == kind, "\(stored) is no \(kind)")
    require(
      attempt { try StoredValue(stored.losslessJSON, kind: kind, schemaVersion: "1") }.isSame(as: stored),
      "\(stored) is another value in an export")
    guard let record = try? stored.typedJSON() else {
      // Its bytes are kept, though they can't be printed: it is nested too deeply, or has a value that JSON lacks.
      require(kind == .propertyList, "\(stored) can't be printed")
      continue
    }
    require(
      attempt { try StoredValue(record, kind: kind, schemaVersion: "1") }.isSame(as: stored),
      "\(stored) is another value in a record")
  }
}

// MARK: FlatBuffers

/// The types of `JSONSchema.text`, which kvtool reads and prints in flatc's form.
private let schemaTypes: [SchemaType] = {
  do {
    let schema = try SchemaCompiler(source: MemorySource(["a.fbs": JSONSchema.text])).compile("a.fbs", includePaths: [])
    return [
      SchemaType(.table(schema.tables.firstIndex { $0.name.name == "Every" }!), in: schema),
      SchemaType(.structure(schema.structs.firstIndex { $0.name.name == "Spot" }!), in: schema),
    ]
  } catch { fatalError("\(error)") }
}()

private func checkFlatBuffer(_ text: ValueText) {
  for type in schemaTypes {
    guard let stored = try? type.value(text) else { continue }
    let printed = attempt { JSONWriter.string(try type.json(stored)) }
    let again = attempt { try type.value(ValueText(printed)) }
    require(again == stored, "the FlatBuffer is another one when it is printed: \(printed)")
  }
}

// MARK: Exports

private func checkDocument(_ text: [UInt8]) {
  guard let items = try? ExportDocument.read(text) else { return }
  var sections: [ExportDocument.Section] = []
  for item in items {
    let entry = DictionaryEntry(
      key: item.key, value: item.value, commitNumber: nil, expiration: item.expirationDate.map { Expiration($0) })
    if let last = sections.last, last.namespace.hasSameBytes(as: item.namespace) {
      sections[sections.count - 1] = .init(namespace: last.namespace, entries: last.entries + [entry])
    } else {
      sections.append(.init(namespace: item.namespace, entries: [entry]))
    }
  }
  var printed = ""
  attempt { try ExportDocument.writeJSON(sections) { printed += $0 } }
  require(isSame(attempt { try ExportDocument.read(Array(printed.utf8)) }, items), "another export: \(printed)")
  // XML can't represent some characters.
  guard let xml = try? ExportDocument.propertyList(sections) else { return }
  require(isSame(attempt { try ExportDocument.read(Array(xml.utf8)) }, items), "another export: \(xml)")
}

private func isSame(_ items: [ExportDocument.Item], _ others: [ExportDocument.Item]) -> Bool {
  items.count == others.count
    && zip(items, others).allSatisfy {
      $0.namespace.hasSameBytes(as: $1.namespace) && $0.key.hasSameBytes(as: $1.key) && $0.value.isSame(as: $1.value)
    }
}
