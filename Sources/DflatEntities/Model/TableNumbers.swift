import DflatCore

/// Assigns numbers to table names, so that lookups compare numbers. A number is valid until the process ends.
enum TableNumbers {
  private static let numbers = Lock<[ByteComparedString: Int]>([:])

  static func number(of table: String) -> Int {
    let table = ByteComparedString(table)
    return numbers.withLock { numbers in
      if let found = numbers[table] { return found }
      numbers[table] = numbers.count
      return numbers.count - 1
    }
  }
}
