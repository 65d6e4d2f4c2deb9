@_exported public import DflatCore
