#include <sqlite3.h>

/// Sets a connection's flag to 0 or 1: `sqlite3_db_config` takes variable arguments, which Swift can't pass.
static inline int csqlite_set_flag(sqlite3 *connection, int flag, int value) {
  return sqlite3_db_config(connection, flag, value, (int *)0);
}
