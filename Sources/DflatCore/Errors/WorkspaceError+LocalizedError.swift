#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension WorkspaceError: LocalizedError {
  /// The message, which `localizedDescription` returns.
  public var errorDescription: String? { message }
}
