import ArgumentParser
import DflatKV
import DflatSupport
import Synchronization

#if Sealing
  import DflatSealing
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The key of a sealed namespace. It comes from a descriptor or the environment, never from an argument, which other
/// users of the computer can read.
struct ToolSealKey: Sendable {
  /// The variables of the environment that may have a key: that of the namespace, and the one that a rotation replaces.
  static let variable = "KVTOOL_SEAL_KEY"
  static let oldVariable = "KVTOOL_OLD_SEAL_KEY"
  static let variables = [variable, oldVariable]

  /// The keys that were read from descriptors, which can be read once.
  private static let known = Mutex<[Int32: ToolSealKey]>([:])
  private static let byteCount = 32
  /// The size up to which a descriptor is read.
  private static let maximumTextCount = 1_024

  /// The key in hex.
  let text: String
  #if Sealing
    private let key: SealKey
  #endif

  /// Returns the key that a descriptor or else a variable of the environment has; nil if there is neither.
  ///
  /// - Parameter option: The name of the option, for errors. They never quote the key.
  /// - Throws: ``ToolError`` with the status `usage` for a text that is no key; the error of ``requireBuiltIn()``.
  static func read(
    _ descriptor: DescriptorArgument?, named option: String, else variable: String
  ) throws -> ToolSealKey? {
    if let number = descriptor?.number {
      if let known = known.withLock({ $0[number] }) { return known }
      let key = try ToolSealKey(text: try content(of: number, named: option), from: "descriptor \(number)")
      known.withLock { $0[number] = key }
      return key
    }
    guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else { return nil }
    return try ToolSealKey(text: text, from: "$\(variable)")
  }

  private static func content(of descriptor: Int32, named option: String) throws -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: maximumTextCount)
    while bytes.count < maximumTextCount {
      let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw ToolError(.usage, "\(option) \(descriptor) cannot be read: \(systemMessage())") }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    if descriptor > STDERR_FILENO { close(descriptor) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private init(text: String, from source: String) throws {
    #if Sealing
      guard let bytes = Self.bytes(of: text), let key = try? SealKey(bytes: bytes) else {
        throw ToolError(
          .usage,
          "\(source) has no seal key: it needs \(Self.byteCount) bytes as 64 hex digits or as base64, as printed by "
            + "'openssl rand -hex 32'")
      }
      self.text = hexadecimal(bytes)
      self.key = key
    #else
      throw Self.notBuiltIn
    #endif
  }

  /// Throws in a tool that was built without the trait `Sealing`.
  static func requireBuiltIn() throws {
    #if !Sealing
      throw notBuiltIn
    #endif
  }

  #if !Sealing
    private static let notBuiltIn = ToolError(
      .otherError,
      "this kvtool was built without sealing: build one with 'swift build -c release --traits Sealing --product kvtool'"
    )
  #endif

  /// Returns nil unless the text is the key's bytes in hex or base64, with white space around it.
  static func bytes(of text: String) -> [UInt8]? {
    let text = text.utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if text.count == 2 * byteCount {
      let digits = text.map { digit($0) }
      guard !digits.contains(nil) else { return nil }
      let known = digits.compactMap { $0 }
      return stride(from: 0, to: known.count, by: 2).map { known[$0] << 4 | known[$0 + 1] }
    }
    guard let data = Data(base64Encoded: Data(text)), data.count == byteCount else { return nil }
    return [UInt8](data)
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Returns the sealed dictionary of a namespace.
  func dictionary(_ name: String, of root: WorkspaceDictionary) -> WorkspaceDictionary {
    #if Sealing
      root.namespace(name, sealedWith: key)
    #else
      root.namespace(name)
    #endif
  }

  /// Seals a namespace's values with this key, all of which have the old key, or none if there isn't any. Returns their
  /// number.
  func sealValues(of dictionary: WorkspaceDictionary, from old: ToolSealKey?) throws -> Int {
    #if Sealing
      if let old { return try dictionary.rotateSealKey(from: old.key, to: key) }
      return try dictionary.sealValues(with: key)
    #else
      return 0
    #endif
  }
}

/// The number of an open descriptor.
struct DescriptorArgument: ExpressibleByArgument {
  let number: Int32

  init?(argument: String) {
    guard let number = Int32(argument), number >= 0, number != STDOUT_FILENO, number != STDERR_FILENO else {
      return nil
    }
    self.number = number
  }
}
