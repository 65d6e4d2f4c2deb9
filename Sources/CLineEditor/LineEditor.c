#include "LineEditor.h"

#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// The part of <histedit.h> that is used, since the package that has this header may not be installed. Its values are fixed,
// because programs are linked with later versions of the library.
typedef struct editline EditLine;
typedef struct history History;
typedef struct {
  int number;
  const char *text;
} HistoryEvent;
typedef struct {
  const char *buffer, *cursor, *end;
} LineInfo;

enum { EL_PROMPT = 0, EL_EDITOR = 2, EL_SIGNAL = 3, EL_BIND = 4, EL_SETTY = 8, EL_ADDFN = 9, EL_HIST = 10,
       EL_CLIENTDATA = 14 };
enum { H_SETSIZE = 1, H_ENTER = 10 };
enum { CC_NEWLINE = 1, CC_REFRESH = 4, CC_REDISPLAY = 8, CC_REFRESH_BEEP = 9 };

typedef struct {
  EditLine *(*create)(const char *, FILE *, FILE *, FILE *);
  void (*end)(EditLine *);
  int (*set)(EditLine *, int, ...);
  int (*get)(EditLine *, int, ...);
  const char *(*readLine)(EditLine *, int *);
  int (*source)(EditLine *, const char *);
  const LineInfo *(*line)(EditLine *);
  int (*insert)(EditLine *, const char *);
  void (*removeBefore)(EditLine *, int);
  History *(*createHistory)(void);
  void (*endHistory)(History *);
  int (*history)(History *, HistoryEvent *, int, ...);
} Library;

struct LineEditor {
  EditLine *line;
  History *history;
  const char *prompt;
  bool isInterrupted;
  LineEditorCompleter completer;
  void *context;
};

static bool load(Library *library) {
#ifdef __APPLE__
  const char *names[] = {"/usr/lib/libedit.3.dylib", "libedit.dylib"};
#else
  // Debian and those after it; Fedora, Arch, Alpine and others.
  const char *names[] = {"libedit.so.2", "libedit.so.0", "libedit.so"};
#endif
  void *handle = NULL;
  for (size_t index = 0; !handle && index < sizeof names / sizeof *names; index++) handle = dlopen(names[index], RTLD_NOW);
  if (!handle) return false;
  const struct {
    const char *name;
    void *function;
  } symbols[] = {
      {"el_init", &library->create},          {"el_end", &library->end},
      {"el_set", &library->set},              {"el_get", &library->get},
      {"el_gets", &library->readLine},        {"el_source", &library->source},
      {"el_line", &library->line},            {"el_insertstr", &library->insert},
      {"el_deletestr", &library->removeBefore}, {"history_init", &library->createHistory},
      {"history_end", &library->endHistory},  {"history", &library->history},
  };
  for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
    void *symbol = dlsym(handle, symbols[index].name);
    if (!symbol) return false;
    // POSIX lets a pointer to data hold the address of a function.
    memcpy(symbols[index].function, &symbol, sizeof symbol);
  }
  return true;
}

// Shared by all editors. The functions that libedit calls receive no other context than the editor, which it has to be
// asked for.
static Library library;

static LineEditor *editorOf(EditLine *line) {
  LineEditor *editor = NULL;
  library.get(line, EL_CLIENTDATA, &editor);
  return editor;
}

static char *prompt(EditLine *line) { return (char *)editorOf(line)->prompt; }

static unsigned char complete(EditLine *line, int key) {
  (void)key;
  LineEditor *editor = editorOf(line);
  const LineInfo *info = library.line(line);
  // The functions below change the buffer.
  char *copy = strndup(info->buffer, (size_t)(info->end - info->buffer));
  if (!copy) return CC_REFRESH_BEEP;
  LineEditorCompletion completion = editor->completer(editor->context, copy, (size_t)(info->cursor - info->buffer));
  free(copy);
  if (completion.removedCount > 0) library.removeBefore(line, completion.removedCount);
  bool isInserted = completion.insertion && *completion.insertion && library.insert(line, completion.insertion) == 0;
  bool hasChoices = completion.choices != NULL;
  if (hasChoices) {
    fprintf(stdout, "\n%s\n", completion.choices);
    fflush(stdout);
  }
  free(completion.insertion);
  free(completion.choices);
  return hasChoices ? CC_REDISPLAY : isInserted || completion.removedCount > 0 ? CC_REFRESH : CC_REFRESH_BEEP;
}

static unsigned char interrupt(EditLine *line, int key) {
  (void)key;
  fputs("^C\n", stdout);
  fflush(stdout);
  editorOf(line)->isInterrupted = true;
  return CC_NEWLINE;
}

static struct termios savedTerminal;

static void restoreTerminal(int number) {
  tcsetattr(STDIN_FILENO, TCSANOW, &savedTerminal);
  signal(number, SIG_DFL);
  raise(number);
}

void TerminalRestoreAtSignals(void) {
  if (tcgetattr(STDIN_FILENO, &savedTerminal) != 0) return;
  const int numbers[] = {SIGHUP, SIGTERM, SIGQUIT};
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    struct sigaction current;
    if (sigaction(numbers[index], NULL, &current) != 0 || current.sa_handler != SIG_DFL) continue;
    signal(numbers[index], restoreTerminal);
  }
}

LineEditor *LineEditorCreate(const char *program, int historySize, LineEditorCompleter completer, void *context) {
  if (!load(&library)) return NULL;
  TerminalRestoreAtSignals();
  LineEditor *editor = calloc(1, sizeof *editor);
  if (!editor) return NULL;
  editor->completer = completer;
  editor->context = context;
  editor->prompt = "";
  // libedit reads characters of the locale's encoding. Where that isn't UTF-8, only ASCII could be typed.
  setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
  editor->line = library.create(program, stdin, stdout, stderr);
  editor->history = library.createHistory();
  if (!editor->line || !editor->history) {
    LineEditorFree(editor);
    return NULL;
  }
  HistoryEvent event;
  library.history(editor->history, &event, H_SETSIZE, historySize);
  library.set(editor->line, EL_CLIENTDATA, editor);
  library.set(editor->line, EL_SIGNAL, 0);
  library.set(editor->line, EL_EDITOR, "emacs");
  library.set(editor->line, EL_PROMPT, prompt);
  library.set(editor->line, EL_HIST, library.history, editor->history);
  library.set(editor->line, EL_ADDFN, "program-complete", "Complete the word before the cursor", complete);
  library.set(editor->line, EL_BIND, "^I", "program-complete", NULL);
  library.set(editor->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
  // While a line is edited, Ctrl-C is a key like others, not a signal.
  library.set(editor->line, EL_ADDFN, "program-interrupt", "Discard the line", interrupt);
  library.set(editor->line, EL_SETTY, "-d", "-isig", NULL);
  library.source(editor->line, NULL);
  library.set(editor->line, EL_BIND, "^C", "program-interrupt", NULL);
  return editor;
}

void LineEditorFree(LineEditor *editor) {
  if (editor->line) library.end(editor->line);
  if (editor->history) library.endHistory(editor->history);
  free(editor);
}

LineEditorResult LineEditorRead(LineEditor *editor, const char *prompt, char **line) {
  *line = NULL;
  editor->prompt = prompt;
  editor->isInterrupted = false;
  int count = 0;
  const char *text = library.readLine(editor->line, &count);
  if (editor->isInterrupted) return LineEditorResultInterrupt;
  if (!text || count <= 0) return LineEditorResultEnd;
  *line = strdup(text);
  if (!*line) return LineEditorResultEnd;
  // A command of several lines, from the history, has others within.
  size_t length = strlen(*line);
  while (length > 0 && ((*line)[length - 1] == '\n' || (*line)[length - 1] == '\r')) (*line)[--length] = 0;
  return LineEditorResultLine;
}

void LineEditorRemember(LineEditor *editor, const char *line) {
  HistoryEvent event;
  library.history(editor->history, &event, H_ENTER, line);
}
