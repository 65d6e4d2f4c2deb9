@_exported public import DflatEntities
