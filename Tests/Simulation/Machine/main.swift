import SimulatedRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// simulation --schedules N [--jobs J] [--first SEED]   runs N seeds in J processes; shrinks what fails (exit 3)
// simulation --seed SEED [--count N]      runs the schedules of N seeds, one after the other, until one fails (exit 3)
//            [--keep 0,3,7]               only these steps of the program
//            [--schedule S [--tries N]]   under the schedule of another seed, or of the first of N that fails
//            [--pool N] [--no-faults]     with so many threads of Dispatch; without failing file operations
//            [--trace] [--choices] [--quiet]   a digest of each schedule, all its choices; one line for a failure

// The order of sets and dictionaries, and addresses, which some of them hash, must not differ from run to run.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  Simulation.fixAddresses()
  var argv: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) } + [nil]
  execv("/proc/self/exe", &argv)
}

let options = Options(CommandLine.arguments)
if let schedules = options.number("schedules") {
  exit(Driver(options, schedules: schedules).run() ? 0 : 3)
} else {
  exit(Batch(options).run() ? 0 : 3)
}
