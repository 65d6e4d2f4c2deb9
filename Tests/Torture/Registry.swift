/// All machines, in the order of the table. One with a share of zero runs only when it is named.
let machines: [any Machine.Type] = [
  SimulationMachine.self,
  BrokenMachine.self,
]
