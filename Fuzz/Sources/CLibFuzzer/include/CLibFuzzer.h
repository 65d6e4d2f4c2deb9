// libFuzzer's interface: https://llvm.org/docs/LibFuzzer.html

#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer in the process that has a `main` of its own. Takes libFuzzer's options in `argv`.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

/// libFuzzer's own mutations of the first `size` bytes, to at most `capacity` bytes. Returns the new size.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/// Sets what libFuzzer calls for each new input; its own mutations where this was not called.
void fuzz_set_mutator(size_t (*mutator)(uint8_t *data, size_t size, size_t capacity, unsigned int seed));

/// The bytes of all allocations that were not freed, as the address sanitizer counts them.
size_t __sanitizer_get_current_allocated_bytes(void);
