#ifndef LINE_EDITOR_H
#define LINE_EDITOR_H

#include <stddef.h>

/// A line editor on the terminal of standard input and output.
///
/// It is libedit (https://www.thrysoee.dk/editline/), the editor of macOS and the BSDs, which is loaded when an editor is
/// created: programs that link this module run on systems without it. libedit's functions take variable arguments, which
/// Swift can't pass; hence this module. All calls must come from one thread.
typedef struct LineEditor LineEditor;

typedef enum LineEditorResult {
  /// The user has entered a line.
  LineEditorResultLine,
  /// The user has pressed Ctrl-C, which discards the line.
  LineEditorResultInterrupt,
  /// The input has ended: the user has pressed Ctrl-D on an empty line, or has closed the terminal.
  LineEditorResultEnd,
} LineEditorResult;

/// The effect of the Tab key.
typedef struct LineEditorCompletion {
  /// The number of characters to remove before the cursor.
  int removedCount;
  /// The text to insert then, or NULL. The editor frees it.
  char *insertion;
  /// The text to print below the line, such as a list of choices, or NULL. The editor frees it.
  char *choices;
} LineEditorCompletion;

/// Returns what to do with the line, of which the first `length` bytes are before the cursor.
typedef LineEditorCompletion (*LineEditorCompleter)(void *context, const char *line, size_t length);

/// Creates an editor. Returns NULL if the system has no libedit, or the terminal can't be used.
///
/// - program: The program's name, by which the user's ~/.editrc may select settings. Must outlive the editor.
/// - historySize: The number of lines that the arrow keys reach.
LineEditor *LineEditorCreate(const char *program, int historySize, LineEditorCompleter completer, void *context);

/// Restores the terminal and frees the editor.
void LineEditorFree(LineEditor *editor);

/// Lets the user edit a line, and blocks until it is entered. Sets `line` to the line without its end, to be freed by the
/// caller, or to NULL.
LineEditorResult LineEditorRead(LineEditor *editor, const char *prompt, char **line);

/// Adds a line to those that the arrow keys reach.
void LineEditorRemember(LineEditor *editor, const char *line);

/// Lets SIGHUP, SIGTERM and SIGQUIT restore the terminal of standard input to what it is now, before they end the process.
/// Those that the program handles or ignores stay as they are.
void TerminalRestoreAtSignals(void);

#endif
