import SimulatedRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// simulation [--first SEED] [--count N]      runs the schedules of N seeds, one after the other, until one fails (exit 3)
//            [--keep 0,3,7] [--schedule S]   only these steps of the program, under the schedule of another seed
//            [--pool N] [--no-faults]        with so many threads of Dispatch, without failing file operations
//            [--trace] [--quiet]             a digest of each schedule; one line for a failure

func option(_ name: String) -> String? {
  guard let index = CommandLine.arguments.firstIndex(of: "--" + name), index + 1 < CommandLine.arguments.endIndex
  else { return nil }
  return CommandLine.arguments[index + 1]
}
func flag(_ name: String) -> Bool { CommandLine.arguments.contains("--" + name) }

// The order of sets and dictionaries, and addresses, which some of them hash, must not differ from run to run.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  Simulation.fixAddresses()
  var argv: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) } + [nil]
  execv("/proc/self/exe", &argv)
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

for seed in first..<first + count {
  var program = Program(seed: seed, withFaults: !flag("no-faults"))
  if let pool = option("pool").flatMap({ Int($0) }) { program.schedule.poolLimit = pool }
  let run = Run(program.keeping(kept), scheduleSeed: scheduleSeed ?? seed, path: path)
  run.simulation.onFailure = { message in
    print("FAIL \(seed): \(message)")
    if !flag("quiet") {
      print(program.description(with: kept))
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
  if flag("trace") { print("\(seed) \(String(run.simulation.trace, radix: 16)) \(run.simulation.steps)") }
}
clear()
print(
  "OK \(count) schedules, \(totals.steps) steps, \(totals.switches) switches, \(totals.faults) failed file operations, "
    + "at most \(totals.threads) pool threads")
