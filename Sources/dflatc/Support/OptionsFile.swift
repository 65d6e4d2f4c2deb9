import DflatGraphQL

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Options from a JSON file, for builds whose command lines can't be edited: `dflatc.json`.
struct OptionsFile: Decodable {
  var declareNamespaces: Bool?
  /// The options of `dflatc graphql`.
  var graphQL: GraphQLOptions?

  init(path: String) throws {
    do {
      self = try JSONDecoder().decode(OptionsFile.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    } catch let error as UnknownOption {
      throw FileError(path: path, message: "\(error)")
    } catch {
      throw FileError(
        path: path,
        message: #"this is not a valid options file; write {"declareNamespaces": false}, "#
          + #"or {"graphql": {"entities": {"Film": "id"}, "scalars": {"Date": "string"}, "indexes": ["Film.year"]}}"#)
    }
  }

  init(from decoder: any Decoder) throws {
    let options = try decoder.options(named: "declareNamespaces", "graphql")
    declareNamespaces = try options.decodeIfPresent(Bool.self, forKey: OptionName("declareNamespaces"))
    graphQL = try options.decodeIfPresent(GraphQLOptions.self, forKey: OptionName("graphql"))
  }
}

/// The options of `dflatc graphql` in a file.
struct GraphQLOptions: Decodable {
  /// The keys' fields of entities, by the names of their types.
  var entities: [String: String]
  /// The stored types of custom scalars.
  var scalars: [String: StoredScalar] = [:]
  /// The fields with an index.
  var indexes: [IndexedField] = []

  init(from decoder: any Decoder) throws {
    let options = try decoder.options(named: "entities", "scalars", "indexes")
    entities = try options.decode([String: String].self, forKey: OptionName("entities"))
    for (name, text) in try options.decodeIfPresent([String: String].self, forKey: OptionName("scalars")) ?? [:] {
      guard let scalar = StoredScalar(rawValue: text) else { throw InvalidOption() }
      scalars[name] = scalar
    }
    for text in try options.decodeIfPresent([String].self, forKey: OptionName("indexes")) ?? [] {
      guard let index = IndexedField(argument: text) else { throw InvalidOption() }
      indexes.append(index)
    }
  }
}

private struct InvalidOption: Error {}

private struct OptionName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

private struct UnknownOption: Error, CustomStringConvertible {
  let name: String
  let known: [String]

  var description: String {
    let list = known.map { "\"\($0)\"" }.joined(separator: ", ")
    return "there is no option \"\(name)\" here; the options are \(list)"
  }
}

extension Decoder {
  /// Returns the options of an object, which may have no others.
  fileprivate func options(named known: String...) throws -> KeyedDecodingContainer<OptionName> {
    let container = try container(keyedBy: OptionName.self)
    if let unknown = container.allKeys.map(\.stringValue).filter({ !known.contains($0) }).min() {
      throw UnknownOption(name: unknown, known: known)
    }
    return container
  }
}
