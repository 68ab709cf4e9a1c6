import Glibc

/// The operating system's words for an `errno`: "No such file or directory".
func systemMessage(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
