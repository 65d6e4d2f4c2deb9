import Foundation
import TestSupport

/// The files of one comparison.
struct Work {
  enum Place: String, CaseIterable {
    case json, ours, flatc, python, ourJSON, flatcJSON

    var suffix: String {
      switch self {
      case .json, .ourJSON, .flatcJSON: "json"
      case .ours, .flatc, .python: "bin"
      }
    }
  }

  let directory: TemporaryDirectory
  let names: [String]

  init(_ names: [String]) throws {
    directory = try TemporaryDirectory("interop")
    self.names = names
    for place in Place.allCases {
      try FileManager.default.createDirectory(atPath: folder(place), withIntermediateDirectories: true)
    }
  }

  /// Returns the path of a folder, with the slash that flatc requires at the end.
  func folder(_ place: Place) -> String { directory.file(place.rawValue) + "/" }

  func file(_ place: Place, _ name: String) -> URL {
    URL(fileURLWithPath: folder(place) + name + "." + place.suffix)
  }
}
