#include "CLibFuzzer.h"

static size_t (*mutator)(uint8_t *, size_t, size_t, unsigned int);

void fuzz_set_mutator(size_t (*function)(uint8_t *, size_t, size_t, unsigned int)) { mutator = function; }

// libFuzzer finds this by its name, so that each of the targets in this one program has it.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned int seed) {
  return mutator ? mutator(data, size, capacity, seed) : LLVMFuzzerMutate(data, size, capacity);
}
