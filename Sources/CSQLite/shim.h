#include <sqlite3.h>

/// Sets a flag of a connection to 0 or 1. Swift can't call `sqlite3_db_config`, because it is variadic.
static inline int csqlite_set_flag(sqlite3 *connection, int flag, int value) {
  return sqlite3_db_config(connection, flag, value, (int *)0);
}
