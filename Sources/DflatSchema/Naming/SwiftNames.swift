/// What schema names are called in Swift. Keywords are not escaped here; that is for whoever writes the code.
public enum SwiftNames {
  /// Underscores are removed and the letters after them made capitals; the first letter stays: `my_type` → `myType`.
  public static func typeName(_ name: String) -> String {
    let words = words(name)
    return joined(words.prefix(1).map(String.init) + words.dropFirst().map(capitalised), instead: name)
  }

  /// Lower camel case: `hp_old` → `hpOld`, `Name` → `name`, `URLString` → `urlString`, `MAX_HP` → `maxHP`.
  public static func memberName(_ name: String) -> String {
    let words = words(name)
    return joined(words.prefix(1).map(loweringAcronym) + words.dropFirst().map(capitalised), instead: name)
  }

  /// A name all of capitals stays (`ALPHA`, `MAX_HP`); others begin with a small letter: `Red` → `red`,
  /// `gamma_delta` → `gammaDelta`, `XMLParser` → `xMLParser`.
  public static func caseName(_ name: String) -> String { isUpperCase(name) ? name : loweringFirst(typeName(name)) }

  /// Begins with a small letter (`TextContent` → `textContent`); names all of capitals become small: `URL` → `url`.
  public static func unionCaseName(_ name: String) -> String {
    isUpperCase(name) ? memberName(name.lowercased()) : loweringFirst(typeName(name))
  }

  // MARK: Parts

  private static func words(_ name: String) -> [Substring] { name.split(separator: "_") }

  /// What would begin with a digit keeps an underscore; names of underscores alone get one more, as `_` is none in Swift.
  private static func joined(_ words: [String], instead name: String) -> String {
    let result = words.joined()
    guard let first = result.utf8.first else { return "_" + name }
    return first.isASCIIDigit ? "_" + result : result
  }

  private static func capitalised(_ word: Substring) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  private static func loweringFirst(_ word: String) -> String { word.prefix(1).lowercased() + word.dropFirst() }

  /// A run of capitals at the beginning is a word, up to the capital that begins the next one.
  private static func loweringAcronym(_ word: Substring) -> String {
    let run = word.prefix { $0.isUppercase }
    let rest = word.dropFirst(run.count)
    let startsNextWord = run.count > 1 && rest.first?.isLowercase == true
    let acronym = startsNextWord ? run.dropLast() : run
    return acronym.lowercased() + word.dropFirst(acronym.count)
  }

  private static func isUpperCase(_ name: String) -> Bool {
    name.contains { $0.isUppercase } && !name.contains { $0.isLowercase }
  }
}
