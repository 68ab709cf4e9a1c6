import Foundation
import Glibc

/// Asks the terminal whether it shows pictures.
///
/// Two questions in one: kitty's, which terminals that do not know it leave unanswered, and the one for the
/// primary attributes (DA1), which every terminal since the VT100 answers; so its answer is the end. A
/// terminal that says nothing is given 0.4 s.
enum TerminalProbe {
    /// Kitty's query: would a picture of one pixel be taken? And DA1.
    private static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"
    private static let patience = 0.4

    /// Nil for a terminal that shows none, or that is another program's just now.
    static func pictures() -> TerminalPicture? {
        // Opening does not block, even if the terminal is stopped by ^S.
        let file = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // A job in the background that changed the terminal would be stopped.
        var kept = termios()
        guard tcgetpgrp(file) == getpgrp(), unsafe tcgetattr(file, &kept) == 0 else { return nil }
        var raw = kept
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        guard unsafe tcsetattr(file, TCSANOW, &raw) == 0 else { return nil }
        let answer = ask(file)
        _ = unsafe tcsetattr(file, TCSANOW, &kept)
        // ^C, which was only a byte meanwhile.
        if answer.contains(3) { kill(getpid(), SIGINT) }
        return picture(in: String(decoding: answer, as: UTF8.self))
    }

    /// Returns the bytes received until the last answer or the timeout.
    private static func ask(_ file: Int32) -> [UInt8] {
        let question = Array(Self.question.utf8)
        guard unsafe write(file, question, question.count) == question.count else { return [] }
        let end = ContinuousClock.now + .seconds(patience)
        var answer: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 256)
        while answer.count < 4096, attributes(in: String(decoding: answer, as: UTF8.self)) == nil {
            let left = ContinuousClock.now.duration(to: end)
            let milliseconds = Int32(left.components.attoseconds / 1_000_000_000_000_000)
            guard left > .zero else { break }
            var wanted = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wanted, 1, max(1, milliseconds))
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { break }
            let count = unsafe read(file, &buffer, buffer.count)
            if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return answer
    }

    /// Returns the numbers of "ESC [ ? 62 ; 4 ; 22 c"; nil if it is missing.
    private static func attributes(in answer: String) -> [String]? {
        guard let found = answer.firstMatch(of: /\u{1B}\[\?([0-9;]*)c/) else { return nil }
        return found.1.split(separator: ";").map(String.init)
    }

    static func picture(in answer: String) -> TerminalPicture? {
        if answer.contains("\u{1B}_Gi=31;OK") { return .kitty }
        return attributes(in: answer)?.dropFirst().contains("4") == true ? .sixel : nil
    }
}
