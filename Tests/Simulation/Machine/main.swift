import DflatSupport

// simulation --schedules N [--jobs J] [--first SEED]   runs N seeds in J processes; shrinks failures (exit 3); replays some
// simulation --seed SEED [--count N]      runs the schedules of N seeds and prints an outcome for each (exit 3 if one
// fails)
//            [--keep 0,3,7]               only these steps of the program
//            [--schedule S [--tries N]]   under the schedule of another seed, or of N from there until one fails
//            [--pool N] [--no-faults]     with N threads of Dispatch; without failing file operations
//            [--choices] [--quiet]        with all choices; with one line for a failure
// Each of them with --replicated: programs whose workspaces are replicas
// simulation --replays N [--first SEED]   runs N seeds, each alone and with the others: exit 3 if the results differ

let options = Options(CommandLine.arguments)
if options.has("serve") { Worker.serve() }
if let schedules = options.number("schedules") { exit(Driver(options).run(schedules) ? 0 : 3) }
if let replays = options.number("replays") {
  exit(Replays(first: options.number("first") ?? 1).run(replays, Command(options)) ? 0 : 3)
}
var isClean = true
let worker = WorkerProcess()
worker.send(Command(options))
worker.answers { line in
  print(line)
  if line.hasPrefix("FAIL") { isClean = false }
}
exit(isClean ? 0 : 3)
