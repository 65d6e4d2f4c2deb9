import DflatObservation
import Foundation

@main struct Program {
  @MainActor static func main() async throws {
    let workspace = try SQLiteWorkspace.open(filePath: "player.db")
    let model = PlayerModel(workspace)
    while model.volume.value < 1 {
      print("volume \(model.volume.value), theme \(model.look.value?.0 ?? "unknown")")
      fflush(nil)  // a pipe gets each line at once
      await change(of: model)
    }
    await workspace.shutdown()
  }

  /// Waits until something changes that the closure reads.
  @MainActor static func change(of model: PlayerModel) async {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = (model.volume.value, model.look.value)
      } onChange: {
        continuation.resume()
      }
    }
  }
}
