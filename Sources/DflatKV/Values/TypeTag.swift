import DflatSQLite

/// The stored types as numbers, which are part of the file format (docs/storage-format.md): the table of what the
/// format says about each type.
enum TypeTag: UInt8, CaseIterable {
  case bool = 1
  case int, uint, float, double, string, data, propertyList, flatBuffers, sealed
  /// A value of one of the other types, which expires.
  case expiring

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
      // By pattern: an enum of another module is compared by a call, and every row that is read is checked.
      switch (self, type) {
      case (.integer, .integer), (.text, .text), (.blob, .blob): true
      case (.realOrNull, .real), (.realOrNull, .null), (.realOrNull, .integer): true
      case (.integer, _), (.realOrNull, _), (.text, _), (.blob, _): false
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
      case .sealed: .sealed
      }
  }

  /// The type of values that readers get; nil if that depends on the value.
  var kind: StoredValue.Kind? {
    switch self {
    case .bool: .bool
    case .int: .int
    case .uint: .uint
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .propertyList: .propertyList
    case .flatBuffers: .flatBuffers
    case .sealed: .sealed
    case .expiring: nil
    }
  }

  var storage: Storage {
    switch self {
    case .bool, .int, .uint: .integer
    case .float, .double: .realOrNull
    case .string: .text
    case .data, .propertyList, .flatBuffers, .sealed, .expiring: .blob
    }
  }

  /// True for a type whose values are read as any other type of number that represents them exactly.
  var isNumber: Bool {
    switch self {
    case .int, .uint, .float, .double: true
    case .bool, .string, .data, .propertyList, .flatBuffers, .sealed, .expiring: false
    }
  }
}

/// Conditions on the column `type`.
extension TypeTag {
  /// An SQL list of the types that meet a condition: `(1, 2, 3)`.
  static func list(where condition: (TypeTag) -> Bool) -> String {
    "(\(allCases.filter(condition).map { "\($0.rawValue)" }.joined(separator: ", ")))"
  }

  /// An SQL condition for the types that meet a condition, whose numbers follow each other: `BETWEEN 2 AND 5`. A statement
  /// with a list takes more registers, which SQLite clears after each run.
  static func range(where condition: (TypeTag) -> Bool) -> String {
    let tags = allCases.filter(condition).map(\.rawValue)
    guard let first = tags.first, let last = tags.last, tags == Array(first...last) else {
      preconditionFailure("The numbers of the types must follow each other.")
    }
    return "BETWEEN \(first) AND \(last)"
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
