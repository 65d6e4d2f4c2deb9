import Foundation

@testable import DflatCore
@testable import DflatEntities
@testable import DflatKV
@testable import kvtool

extension FuzzTarget {
  /// The initial inputs of a corpus, made from real data.
  var seeds: [[UInt8]] {
    switch self {
    case .verifier, .reader: (1...40).map { [UInt8](Every.random(seed: $0).toData()) }
    // The corpus contains this project's schemas.
    case .schema: []
    case .plist: (1...30).map { randomPropertyList(seed: $0) }
    case .json: jsonSeeds
    case .record: recordSeeds
    case .entity: (0..<30).map { randomEntity(seed: UInt64($0)) }
    }
  }
}

// MARK: Property lists

/// Returns a property list that a program would store, or any other one.
func randomPropertyList(seed: UInt64) -> [UInt8] {
  var source = ValueSource(random: SplitMix64(state: seed))
  let encoded: CachedValue = attempt {
    switch seed % 5 {
    case 0: try ValueCoder.encode(source.profile(levels: 1))
    case 1: try ValueCoder.encode(source.tree(levels: 3))
    case 2: try ValueCoder.encode([source.string(): [source.int() as Int16]])
    case 3: try ValueCoder.encode(source.array { Real($0.double()) })
    default:
      .boxed(ValueBox(.propertyList(Data(try BinaryPropertyListWriter.write(.array([source.node(levels: 3)]))))))
    }
  }
  guard case .propertyList(let bytes)? = encoded.stored else { return [] }
  return [UInt8](bytes)
}

extension ValueSource {
  fileprivate mutating func profile(levels: Int) -> Profile {
    Profile(
      name: string(), age: maybe { $0.int() }, id: int(), ratio: float(), isActive: bool(),
      role: bool() ? .guest : .owner,
      joined: maybe { Instant(date: Date(timeIntervalSinceReferenceDate: $0.double())) },
      picture: Data(array { $0.int() }), tags: Set(array { $0.string() }), scores: [string(): Real(double())],
      shape: maybe { $0.bool() ? .circle(Real($0.double())) : .named(name: $0.string(), size: $0.int()) },
      others: levels > 0 ? array { $0.profile(levels: levels - 1) } : [])
  }

  fileprivate mutating func tree(levels: Int) -> Tree {
    Tree(
      children: maybe { levels > 0 ? $0.array { $0.tree(levels: levels - 1) } : [] }, label: maybe { $0.string() })
  }

  fileprivate mutating func node(levels: Int) -> PropertyListNode {
    switch Int.random(in: 0..<(levels > 0 ? 11 : 8), using: &random) {
    case 0: .bool(bool())
    case 1: .int(int())
    case 2: .uint(UInt64.max - int() % 1_000)
    case 3: .real(double())
    case 4: .string(string())
    case 5: .data(array { $0.int() })
    case 6: .date(Double(int() as Int32) / 4)
    case 7: .uid(int())
    case 8, 9: .array(array { $0.node(levels: levels - 1) })
    default:
      .dictionary(
        array { PropertyListNode.Member(key: $0.string(), value: $0.node(levels: levels - 1)) })
    }
  }
}

// MARK: JSON

private var jsonSeeds: [[UInt8]] {
  var texts = [
    #"{"op": "set", "key": "volume", "value": 0.8, "type": "double"}"#,
    #"{"op": "incr", "key": "n", "by": 5}"# + "\n" + #"{"op": "delete", "key": "a", "namespace": "b"}"#,
    #"{"op": "expect", "key": "k", "value": null}"#,
    #"{"op": "set", "key": "f", "value": "AQID", "type": "flatbuffers", "version": "1.0"}"#,
    #"{id: 7, ok: false, count: 3, ratio: nan, color: Red, flags: "CanRead Last", spot: {x: 1, y: 2, kinds: [1, 2]}}"#,
    #"{"body_type": "Node", "body": {"label": "a", "next": {"label": "b"}}, "numbers": [1, -2], "colors": [Green, 5]}"#,
    #"{bodies_type: ["Name", "Spot"], bodies: ["text", {x: -inf}], names: ["a",], /* why */ buffer: {label: "n"}} // end"#,
    #"[true, null, -0.0, 1e308, 18446744073709551615, "A\ud83e\udd86\n", {"$date": "2026-11-21T09:30:00.25Z"}]"#,
    #"{"$dictionary": {"$data": "AQID", "$uid": 7}}"#, #"{"$real": "nan(0x1)"}"#,
    #"{"x": 1.5, "y": -3, "kinds": [0, 255]}"#,
    "3.4e38", "\"true\"", "-9223372036854775808",
  ]
  let values: [StoredValue] = [
    .bool(true), .int(-5), .uint(.max), .float(0.1), .double(.infinity), .string("naïve"), .data(Data([1, 2, 3])),
    .flatBuffers(Data([4, 0, 0, 0]), schemaVersion: "1.0"),
    .propertyList(Data(randomPropertyList(seed: 2))), .sealed(Data([1] + Array(repeating: 7, count: 40))),
  ]
  let entries = values.enumerated().map {
    DictionaryEntry(
      key: "key\($0)", value: $1, commitNumber: nil,
      expiration: $0 == 3 ? Expiration(milliseconds: 1_800_000_000_123) : nil)
  }
  var document = ""
  attempt {
    try ExportDocument.writeJSON(
      [
        .init(namespace: "", entries: Array(entries.prefix(5))),
        .init(namespace: "a", entries: Array(entries.dropFirst(5))),
      ]
    ) { document += $0 }
  }
  texts.append(document)
  return texts.map { Array($0.utf8) }
}

// MARK: Records

private var recordSeeds: [[UInt8]] {
  let names = NamespaceTable()
  let values: [CachedValue] = [
    .bool(true), .int(-5), .uint(.max), .float(.nan), .double(0.1), CachedValue(.string("naïve")),
    CachedValue(.data(Data([1, 2, 3]))), CachedValue(.propertyList(Data(randomPropertyList(seed: 2)))),
    CachedValue(.flatBuffers(Data([4, 0, 0, 0]), schemaVersion: "1.0")),
    CachedValue(.flatBuffers(Data([4, 0, 0, 0]), schemaVersion: nil)),
    CachedValue(.sealed(Data([1] + Array(repeating: 7, count: 40)))), .absent,
    CachedValue(.string("gone")).expiring(at: Expiration(milliseconds: 1_800_000_000_123)),
  ]
  let keys = values.indices.map { HashedKey("key\($0)", namespace: names.retain(["", "a", "b"][$0 % 3]).number) }
  let members: [[DflatKV.Operation]] = [
    zip(keys, values).map { .set($0, $1) },
    [
      .removePrefix(PrefixRange(namespace: names.retain("a").number, prefix: "k")), .keep(keys[1], nil),
      .set(keys[2], .int(1)),
    ],
    [.removePrefix(PrefixRange(namespace: 0, prefix: ""))],
  ]
  let dictionaries = [
    ChangeRecord.encode(members.map { $0[...] }, names: names.name),
    ChangeRecord.encode(members.dropFirst().map { $0[...] }, names: names.name),
    ChangeRecord.encode([], names: names.name),
  ]
  let entities = [
    EntityRecord.encode([.init(name: "post", rowids: [1, 2, 900, 70_000]), .init(name: "club__member", rowids: nil)]),
    EntityRecord.encode([.init(name: "post", rowids: [.min, -3, .max])]), [3],
  ]
  var changes: [[UInt8]] = dictionaries + entities
  for (dictionary, entity) in zip(dictionaries, entities) {
    var writer = RecordWriter()
    writer.write(ChangeRecord.kind)
    writer.write(counted: dictionary)
    writer.write(EntityRecord.kind)
    writer.write(counted: entity)
    changes.append(writer.bytes)
  }
  return changes
}

// MARK: Entities

/// Returns an index definition that a file may contain, and a row.
func randomEntity(seed: UInt64) -> [UInt8] {
  var source = ValueSource(random: SplitMix64(state: seed))
  let definitions =
    Row._entity.indexes.map { $0.path.definition } + Row._entity.primaryKey.map { $0.path.definition }
    + Every._entity.primaryKey.map { $0.path.definition }
    + [
      "table:22/string:4:none", "union:26:1/table:4/scalar:4:int32:null", "unionStructure:26:2/scalar:4:int16:0",
      "kind:26", "fields:8:string:6/17:scalar:10:int32:0/",
      "fields:13:string:4:none/7:kind:26/17:table:22/string:4/",
    ]
    + ["unionString:26:3", "table:22/structure:6/scalar:0:float:nan", "scalar:12:uint64:18446744073709551615"]
  let definition = Array(definitions.randomElement(using: &source.random)!.utf8)
  return [UInt8(definition.count)] + definition + source.row().toData()
}

extension ValueSource {
  fileprivate mutating func row() -> Row {
    Row(
      id: int(), name: string(), mail: maybe { $0.string() }, card: maybe { $0.int() }, balance: double(),
      ratio: float(),
      color: color(), size: int(), ok: bool(), note: maybe { $0.note() },
      body: maybe { $0.bool() ? .note($0.note()) : $0.bool() ? .name($0.string()) : .spot($0.spot()) })
  }

  private mutating func note() -> Fuzz.Note { Fuzz.Note(text: maybe { $0.string() }, spot: maybe { $0.spot() }) }
  private mutating func spot() -> Fuzz.Spot { Fuzz.Spot(x: float(), y: int()) }
}
