import Glibc

/// The C library's power, for the tests of our own.
func libraryPower(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
