// What scripts/lib/processor had compiled for x86-64-v3 ends at its start, with a sentence, where the processor has
// less; else it would end somewhere, with SIGILL.
#if defined(__x86_64__) && defined(__AVX2__)

#include <unistd.h>

__attribute__((constructor(101))) static void cimage_look_at_processor(void) {
    static const char message[] =
        "moody: built for processors of the level x86-64-v3 (AVX2), and this is none; "
        "scripts/install --portable builds for all\n";
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v3")) return;
    (void)write(STDERR_FILENO, message, sizeof message - 1);
    _exit(70);
}

#endif
