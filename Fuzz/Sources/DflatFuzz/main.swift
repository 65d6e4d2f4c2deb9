// dflat-fuzz --target=TARGET [libFuzzer's options, files and folders…]
// dflat-fuzz --target=TARGET --seeds=FOLDER
//
// libFuzzer ignores options with two dashes, and passes them on when it restarts itself (-merge=1, -minimize_crash=1).

import Foundation

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("dflat-fuzz: \(message)\n".utf8))
  exit(64)
}

func value(ofOption name: String) -> String? {
  CommandLine.arguments.first { $0.hasPrefix("--\(name)=") }.map { String($0.dropFirst(name.count + 3)) }
}

let name = value(ofOption: "target") ?? ""
guard let target = FuzzTarget(rawValue: name) else {
  fail("give one of these: \(FuzzTarget.allCases.map { "--target=\($0.rawValue)" }.joined(separator: " "))")
}
guard let folder = value(ofOption: "seeds") else { target.run() }
for (number, seed) in target.seeds.enumerated() {
  try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
}
