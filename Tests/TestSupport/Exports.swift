@_exported public import MemoryReplication
