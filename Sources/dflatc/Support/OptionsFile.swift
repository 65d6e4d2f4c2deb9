#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Options from a JSON file, for builds whose command lines can't be edited.
struct OptionsFile {
  var declareNamespaces: Bool?

  init(path: String) throws {
    let object: [String: Bool]
    do {
      object = try JSONDecoder().decode([String: Bool].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw FileError(path: path, message: #"this is not a valid options file; write {"declareNamespaces": false}"#)
    }
    for (name, value) in object {
      switch name {
      case "declareNamespaces": declareNamespaces = value
      default:
        throw FileError(path: path, message: "there is no option \"\(name)\"; the only option is \"declareNamespaces\"")
      }
    }
  }
}
