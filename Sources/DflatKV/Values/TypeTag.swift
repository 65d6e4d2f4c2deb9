import DflatSQLite

/// The stored types as numbers, which are part of the file format (docs/storage-format.md): the table of what the
/// format says about each type.
enum TypeTag: UInt8, CaseIterable {
  case bool = 1
  case int, uint, float, double, string, data, propertyList, flatBuffers

  /// The storage class of a type's values in SQLite.
  enum Storage: CaseIterable {
    case integer
    /// SQLite stores NaN as null.
    case realOrNull
    case text
    case blob

    /// The names by which `typeof` reports the class.
    var names: [String] {
      switch self {
      case .integer: ["integer"]
      case .realOrNull: ["real", "null"]
      case .text: ["text"]
      case .blob: ["blob"]
      }
    }

    /// Returns true if a column of that type may hold such a value. SQLite reads an integer as a floating-point number,
    /// so that is no damage.
    func includes(_ type: Statement.ColumnType) -> Bool {
      switch self {
      case .integer: type == .integer
      case .realOrNull: type == .real || type == .null || type == .integer
      case .text: type == .text
      case .blob: type == .blob
      }
    }
  }

  init(_ kind: StoredValue.Kind) {
    self =
      switch kind {
      case .bool: .bool
      case .int: .int
      case .uint: .uint
      case .float: .float
      case .double: .double
      case .string: .string
      case .data: .data
      case .propertyList: .propertyList
      case .flatBuffers: .flatBuffers
      }
  }

  var storage: Storage {
    switch self {
    case .bool, .int, .uint: .integer
    case .float, .double: .realOrNull
    case .string: .text
    case .data, .propertyList, .flatBuffers: .blob
    }
  }

  /// True for a type whose values are read as any other type of number that represents them exactly.
  var isNumber: Bool {
    switch self {
    case .int, .uint, .float, .double: true
    case .bool, .string, .data, .propertyList, .flatBuffers: false
    }
  }
}

/// Conditions on the column `type`.
extension TypeTag {
  /// An SQL list of the types that meet a condition: `(1, 2, 3)`.
  static func list(where condition: (TypeTag) -> Bool) -> String {
    "(\(allCases.filter(condition).map { "\($0.rawValue)" }.joined(separator: ", ")))"
  }

  /// An SQL expression that is true if a row's value is of a storage class that its type allows.
  static let fitsValue: String = {
    let branches = Storage.allCases.map { storage in
      let names = storage.names.map { "'\($0)'" }.joined(separator: ", ")
      return "WHEN type IN \(list { $0.storage == storage }) THEN typeof(value) IN (\(names))"
    }
    return "CASE \(branches.joined(separator: " ")) ELSE 0 END"
  }()
}
