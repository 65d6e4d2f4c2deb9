import ArgumentParser
import DflatGraphQL

/// `Character` or `Character:id`.
struct EntityName: ExpressibleByArgument {
  let name: String
  let key: String?

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2, !parts.contains("") else { return nil }
    name = parts[0]
    key = parts.count == 2 ? parts[1] : nil
  }
}

/// `Character.name`.
struct IndexedField: ExpressibleByArgument {
  let entity: String
  let field: String

  init?(argument: String) {
    let parts = argument.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts.contains("") else { return nil }
    (entity, field) = (parts[0], parts[1])
  }
}

/// `DateTime=long`.
struct ScalarOption: ExpressibleByArgument {
  let name: String
  let type: StoredScalar

  init?(argument: String) {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, let type = StoredScalar(rawValue: parts[1]) else { return nil }
    (name, self.type) = (parts[0], type)
  }
}
