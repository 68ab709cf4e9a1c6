// What Swift's vectors lack: of eight numbers at once.
#ifndef LANES_H
#define LANES_H

#include <stdint.h>

/// Swift's SIMD8 of Float, UInt16 and UInt32.
typedef float lanes_float8 __attribute__((ext_vector_type(8)));
typedef uint16_t lanes_uint16x8 __attribute__((ext_vector_type(8)));
typedef uint32_t lanes_uint32x8 __attribute__((ext_vector_type(8)));

/// Square roots, rounded as IEEE 754 says, so that every processor has the same; of what is below 0 not a number. Swift's
/// `squareRoot()` takes lane after lane, each with a branch for the C library's `errno`.
static inline __attribute__((always_inline)) lanes_float8 lanes_square_roots(lanes_float8 numbers) {
    return __builtin_elementwise_sqrt(numbers);
}

/// The same numbers in 32 bits: one instruction, where Swift's `init(truncatingIfNeeded:)` takes lane after lane.
static inline __attribute__((always_inline)) lanes_uint32x8 lanes_widened(lanes_uint16x8 numbers) {
    return __builtin_convertvector(numbers, lanes_uint32x8);
}

#endif
