import SimulatedRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

func option(_ name: String) -> String? {
  let arguments = CommandLine.arguments
  guard let index = arguments.firstIndex(of: "--" + name), index + 1 < arguments.endIndex else { return nil }
  return arguments[index + 1]
}

let folder = "/dev/shm/dflatkv-simulation-\(getpid())"
mkdir(folder, 0o700)
let path = folder + "/file.db"
func clear() {
  for suffix in ["", "-wal", "-shm", "-dflat", "-journal"] { unlink(path + suffix) }
  rmdir(folder)
}

let first = option("first").flatMap { UInt64($0) } ?? 1
let count = option("count").flatMap { UInt64($0) } ?? 1
let kept = option("keep").map { Set($0.split(separator: ",").compactMap { Int($0) }) }
let scheduleSeed = option("schedule").flatMap { UInt64($0) }
var totals = (steps: 0, switches: 0, threads: 0, faults: 0)
let isQuiet = CommandLine.arguments.contains("--quiet")

for seed in first..<first + count {
  let program = Program(seed: seed).keeping(kept)
  let run = Run(program, scheduleSeed: scheduleSeed ?? seed, path: path)
  run.simulation.onFailure = { message in
    print("FAIL \(seed): \(message)")
    if !isQuiet {
      print(Program(seed: seed).description(with: kept))
      print(run.simulation.describeThreads())
    }
    clear()
    exit(3)
  }
  run.run()
  totals.steps += run.simulation.steps
  totals.switches += run.simulation.switches
  totals.threads = max(totals.threads, run.simulation.poolThreads)
  totals.faults += run.simulation.faults
  if CommandLine.arguments.contains("--trace") { print("\(seed) \(String(run.simulation.trace, radix: 16)) \(run.simulation.steps)") }
}
clear()
print("OK \(count) schedules, \(totals.steps) steps, \(totals.switches) switches, \(totals.faults) faults, at most \(totals.threads) pool threads")
