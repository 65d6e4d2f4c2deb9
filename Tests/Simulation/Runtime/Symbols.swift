import CFibers
import DflatSupport

@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>?, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// Names of the functions on a fiber's stack.
enum Symbols {
  static func backtrace(of fiber: OpaquePointer?, isRunning: Bool) -> [String] {
    guard let fiber else { return [] }
    var addresses = [UInt](repeating: 0, count: 64)
    let count = Int(
      isRunning ? fiber_backtrace_here(&addresses, 64) : fiber_backtrace(fiber, &addresses, 64))
    return addresses.prefix(count).compactMap(name).filter { name in
      !["SimulatedRuntime", "fiber_", "makecontext", "partial apply", "thunk", "swapcontext"].contains {
        name.contains($0)
      }
    }
  }

  private static func name(of address: UInt) -> String? {
    guard let name = fiber_symbol(address) else { return nil }
    guard let demangled = swiftDemangle(name, UInt(strlen(name)), nil, nil, 0) else { return String(cString: name) }
    defer { free(demangled) }
    return String(cString: demangled)
  }
}
