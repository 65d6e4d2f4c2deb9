// dflat-fuzz TARGET [libFuzzer's options and folders…]
// dflat-fuzz --seeds FOLDER

import Foundation

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("dflat-fuzz: \(message)\n".utf8))
  exit(64)
}

var arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.popFirst() else { fail("name a target") }
if name == "--seeds" {
  guard let folder = arguments.first else { fail("name a folder for the seeds") }
  for seed in 1...40 as ClosedRange<UInt64> {
    try Every.random(seed: seed).toData().write(to: URL(fileURLWithPath: "\(folder)/random-\(seed)"))
  }
} else {
  guard let target = FuzzTarget(rawValue: name) else {
    fail("'\(name)' is no target; \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")) are")
  }
  target.run(options: [CommandLine.arguments[0]] + arguments)
}
