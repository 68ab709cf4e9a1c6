// What Swift's vectors lack: of eight numbers at once.
#ifndef LANES_H
#define LANES_H

#include <stdint.h>

/// Swift's SIMD8 of Float, UInt16, Int32 and UInt32.
typedef float lanes_float8 __attribute__((ext_vector_type(8)));
typedef uint16_t lanes_uint16x8 __attribute__((ext_vector_type(8)));
typedef int32_t lanes_int32x8 __attribute__((ext_vector_type(8)));
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

/// Whole numbers below 2^31 as floats.
static inline __attribute__((always_inline)) lanes_float8 lanes_floats(lanes_uint32x8 numbers) {
    return __builtin_convertvector((lanes_int32x8)numbers, lanes_float8);
}

/// Numbers cut to 0...`most`, which is below 2^31, and their fractions cut off; of what is not a number any of these.
static inline __attribute__((always_inline)) lanes_uint32x8 lanes_truncated(lanes_float8 numbers, float most) {
    lanes_float8 within = __builtin_elementwise_min(__builtin_elementwise_max(numbers, (lanes_float8)0), (lanes_float8)most);
    return (lanes_uint32x8)__builtin_convertvector(within, lanes_int32x8);
}

/// Numbers cut to 0...`most`, at most 2^22, and rounded, halves to even; of what is not a number any of these.
static inline __attribute__((always_inline)) lanes_uint32x8 lanes_rounded(lanes_float8 numbers, float most) {
    // A float of 2^23 and more has no fraction: adding it rounds, and the low bits are the number.
    lanes_float8 within = __builtin_elementwise_min(__builtin_elementwise_max(numbers, (lanes_float8)0), (lanes_float8)most);
    return (lanes_uint32x8)(within + 8388608) & 0x7FFFFF;
}

/// A third of each number, rounded down.
static inline __attribute__((always_inline)) lanes_uint32x8 lanes_thirds(lanes_uint32x8 numbers) {
    typedef uint64_t wide __attribute__((ext_vector_type(8)));
    return __builtin_convertvector(__builtin_convertvector(numbers, wide) * 0xAAAAAAAB >> 33, lanes_uint32x8);
}

/// One over the squares of x, y and z less those of a center, added up, and `least`. Each step is rounded by itself, whether the
/// processor could take two at once or not.
static inline __attribute__((always_inline)) lanes_float8 lanes_inverse_squares(
    lanes_float8 x, lanes_float8 y, lanes_float8 z, float center_x, float center_y, float center_z, float least) {
#pragma clang fp contract(off)
    lanes_float8 across = x - center_x, up = y - center_y, on = z - center_z;
    return 1 / (across * across + up * up + on * on + least);
}

#endif
