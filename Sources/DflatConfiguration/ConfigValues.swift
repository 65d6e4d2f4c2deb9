#if Configuration
  import Configuration
  import DflatCore
  import DflatKV
  import DflatPropertyList

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Stored values as those of a configuration.
  struct ConfigValues {
    private let values: [ByteComparedString: StoredValue]
    private let secrets: SecretsSpecifier<String, ConfigContent>

    init(_ entries: [DictionaryEntry], secrets: SecretsSpecifier<String, ConfigContent>) {
      values = entries.reduce(into: [:]) { $0[ByteComparedString($1.key)] = $1.value }
      self.secrets = secrets
    }

    func result(for key: AbsoluteConfigKey, _ type: ConfigType) throws -> LookupResult {
      let name = Self.name(of: key)
      return try Self.result(name, values[ByteComparedString(name)], type, secrets)
    }

    /// Returns the dictionary's key.
    static func name(of key: AbsoluteConfigKey) -> String { key.components.joined(separator: ".") }

    /// - Throws: ``/DflatCore/WorkspaceError`` with code `.typeMismatch` for a value of another type.
    static func result(
      _ name: String, _ value: StoredValue?, _ type: ConfigType, _ secrets: SecretsSpecifier<String, ConfigContent>
    ) throws -> LookupResult {
      guard let value else { return LookupResult(encodedKey: name, value: nil) }
      guard let content = content(of: value, type) else {
        throw WorkspaceError(
          .typeMismatch,
          "The value of '\(name)' is \(value.kind.rawValue), and the configuration asks for \(type.rawValue).",
          key: name)
      }
      let isSecret = secrets.isSecret(key: name, value: content)
      return LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: isSecret))
    }

    /// Returns nil for a value of another type.
    private static func content(of value: StoredValue, _ type: ConfigType) -> ConfigContent? {
      switch (type, value) {
      case (.string, .string(let text)): .string(text)
      case (.bool, .bool(let value)): .bool(value)
      case (.bytes, .data(let data)): .bytes(Array(data))
      case (.int, _): integer(value).map(ConfigContent.int)
      case (.double, _): double(value).map(ConfigContent.double)
      case (.stringArray, .propertyList(let list)): elements(list, String.self).map(ConfigContent.stringArray)
      case (.intArray, .propertyList(let list)): elements(list, Int.self).map(ConfigContent.intArray)
      case (.doubleArray, .propertyList(let list)): elements(list, Double.self).map(ConfigContent.doubleArray)
      case (.boolArray, .propertyList(let list)): elements(list, Bool.self).map(ConfigContent.boolArray)
      case (.byteChunkArray, .propertyList(let list)):
        elements(list, Data.self).map { .byteChunkArray($0.map { Array($0) }) }
      default: nil
      }
    }

    private static func integer(_ value: StoredValue) -> Int? {
      switch value {
      case .int(let value): Int(exactly: value)
      case .uint(let value): Int(exactly: value)
      case .float(let value): Int(exactly: value)
      case .double(let value): Int(exactly: value)
      default: nil
      }
    }

    private static func double(_ value: StoredValue) -> Double? {
      switch value {
      case .int(let value): Double(exactly: value)
      case .uint(let value): Double(exactly: value)
      case .float(let value): Double(value)
      case .double(let value): value
      default: nil
      }
    }

    private static func elements<Element: Decodable>(_ list: Data, _ type: Element.Type) -> [Element]? {
      try? BinaryPropertyListDecoder().decode([Element].self, from: list)
    }
  }
#endif
