#include "CLibFuzzer.h"

static size_t (*mutator)(uint8_t *, size_t, size_t, unsigned int);

void fuzz_set_mutator(size_t (*function)(uint8_t *, size_t, size_t, unsigned int)) { mutator = function; }

// libFuzzer finds this function by name, so all targets of the program share it.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned int seed) {
  return mutator ? mutator(data, size, capacity, seed) : LLVMFuzzerMutate(data, size, capacity);
}
