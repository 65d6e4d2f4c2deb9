/// Creates key names before the measurement starts.
enum KeyNames {
  static func list(_ prefix: String = "key.", count: Int = ConcurrentTasks.operationCount) -> [String] {
    (0..<count).map { "\(prefix)\($0)" }
  }
}
