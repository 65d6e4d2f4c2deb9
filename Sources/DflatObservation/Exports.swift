// With these, `import DflatObservation` is all that a program needs, including `withObservationTracking`.

@_exported public import DflatKV
@_exported public import Observation
