import DflatKV
import Foundation
import GoldenModels
import Synchronization
import TestSupport

/// Threads that run side by side for a moment, judged by what must hold in every interleaving.
enum Burst: String, Codable, Sendable, CaseIterable {
  case none

  func run(_ workspaces: [SQLiteWorkspace]) throws -> String { "ok" }
}
