@_exported public import DflatCore
@_exported public import DflatEntities
