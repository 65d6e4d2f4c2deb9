// With this, `import DflatUserDefaults` is all that a program needs.

@_exported public import DflatKV
