/// All machines, in the order of the table. One with a share of zero runs only when it is named.
let machines: [any Machine.Type] = [
  ModelMachine.self,
  SimulationMachine.self,
  ReplicationMachine.self,
  HistoriesMachine.self,
  KillsMachine.self,
  CrashImagesMachine.self,
  FailingCallsMachine.self,
  HostileFilesMachine.self,
  FuzzersMachine.self,
  SoakMachine.self,
  BrokenMachine.self,
]
