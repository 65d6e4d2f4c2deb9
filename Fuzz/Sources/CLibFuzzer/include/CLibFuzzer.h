// libFuzzer's interface: https://llvm.org/docs/LibFuzzer.html

#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer in a process with its own `main`. Reads libFuzzer's options from `argv`.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

/// Applies libFuzzer's own mutations to the first `size` bytes, growing them to at most `capacity` bytes. Returns the
/// new size.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/// Sets the function that mutates each input. Without a call, libFuzzer's own mutations apply.
void fuzz_set_mutator(size_t (*mutator)(uint8_t *data, size_t size, size_t capacity, unsigned int seed));

/// Returns the number of allocated bytes that are not yet freed, as counted by the address sanitizer.
size_t __sanitizer_get_current_allocated_bytes(void);
