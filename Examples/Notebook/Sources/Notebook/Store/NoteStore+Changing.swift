import DflatUserDefaults

// Each of these methods runs one transaction: notes and keys change together or not at all.

extension NoteStore {
  /// Adds a note with the next number. Without a notebook of its own, it goes to the current one.
  func add(_ draft: NoteBuilder) async throws -> Note {
    try await workspace.transact([Note.self]) { txn in
      var note = draft
      note.number = try txn.dictionary.update(.lastNumber) { $0 += 1 }
      if note.notebook.isEmpty { note.notebook = txn.dictionary[.current] ?? "inbox" }
      return try txn.insert(note.build())
    }
  }

  /// Adds tags to notes, and returns the number of notes.
  func tag(_ numbers: [Int64], with tags: [String]) async throws -> Int {
    try await workspace.transact([Note.self]) { txn in
      try txn.updateAll(Note.self, where: Note.number.in(numbers)) { note in
        for tag in tags where !note.tags.contains(tag) { note.tags.append(tag) }
      }
    }
  }

  /// Pins notes or removes their pins, and returns the number of notes.
  func setPinned(_ isPinned: Bool, _ numbers: [Int64]) async throws -> Int {
    try await workspace.transact([Note.self]) { txn in
      try txn.updateAll(Note.self, where: Note.number.in(numbers)) { $0.pinned = isPinned }
    }
  }

  /// Deletes notes, and returns their number.
  func delete(_ numbers: [Int64]) async throws -> Int {
    try await workspace.transact([Note.self]) { txn in
      try txn.deleteAll(Note.self, where: Note.number.in(numbers))
    }
  }

  /// Imports the preferences that release 1 keeps in UserDefaults, once in the life of a file, even if two programs try
  /// at the same time. Returns nil if it was done before.
  func importDefaults() async throws -> UserDefaultsTransfer? {
    try await workspace.transact { txn -> UserDefaultsTransfer? in
      guard try txn.dictionary.compareAndSet(.hasImportedDefaults, expected: false, new: true) else { return nil }
      return try txn.dictionary.namespace("list").importValues(from: .suite("notebook-example")) { $0 == "current" }
    }
  }
}
