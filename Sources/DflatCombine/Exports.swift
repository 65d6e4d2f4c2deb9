// With these, `import DflatCombine` is all that a program needs, including `DispatchQueue` as a scheduler.

@_exported public import DflatKV
@_exported public import Dispatch

#if canImport(Combine)
  @_exported public import Combine
#else
  @_exported public import OpenCombine
  @_exported public import OpenCombineDispatch
#endif
