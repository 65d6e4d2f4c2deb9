import Foundation
import TortureModel

let words = CommandLine.arguments
if words.count > 1, words[1] == "worker" {
  Worker.run()
  exit(0)
}
let first = UInt64(words[1])!
let seconds = Double(words[2])!
let stop = words.count > 3 ? Int(words[3])! : 5
let runner = ProgramRunner(
  executable: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath(), arguments: ["worker"],
  folder: "/dev/shm/torture-model-\(getpid())")
try FileManager.default.createDirectory(atPath: "/dev/shm/torture-model-\(getpid())", withIntermediateDirectories: true)
let start = Date()
var steps = 0
var found = 0
var seed = first
while Date().timeIntervalSince(start) < seconds, found < stop {
  do { steps += try ModelRound.run(seed: seed, on: runner, shrinkSeconds: 15) } catch let failed as ModelRound.Failed {
    print("=== seed \(seed) after \(Int(Date().timeIntervalSince(start))) s\n\(failed.printed)\n")
    found += 1
  }
  seed += 1
}
print("\(steps) steps, \(seed - first) programs, \(Date().timeIntervalSince(start)) s, \(found) found")
try? FileManager.default.removeItem(atPath: "/dev/shm/torture-model-\(getpid())")
