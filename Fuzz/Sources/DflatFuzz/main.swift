// dflat-fuzz TARGET [libFuzzer's options and folders…]
// dflat-fuzz --seeds TARGET FOLDER

import CLibFuzzer
import Foundation

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("dflat-fuzz: \(message)\n".utf8))
  exit(64)
}

var arguments = CommandLine.arguments.dropFirst()
let writesSeeds = arguments.first == "--seeds"
if writesSeeds { arguments.removeFirst() }
guard let name = arguments.popFirst(), let target = FuzzTarget(rawValue: name) else {
  fail("name a target: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
}

if writesSeeds {
  guard let folder = arguments.first else { fail("name a folder for the seeds") }
  try target.writeSeeds(to: folder)
} else {
  target.run(options: [CommandLine.arguments[0]] + arguments)
}
