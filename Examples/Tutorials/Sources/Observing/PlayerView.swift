#if canImport(SwiftUI)
  import DflatObservation
  import SwiftUI

  struct PlayerView: View {
    let model: PlayerModel

    var body: some View {
      Slider(value: Binding(get: { model.volume.value }, set: { model.dictionary[.volume] = $0 }))
      Button("Mute") { model.mute() }
        .disabled(model.look.value?.1 ?? true)
        .preferredColorScheme(model.look.value?.0 == "dark" ? .dark : .light)
    }
  }
#endif
