#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

guard let options = Options(CommandLine.arguments.dropFirst()) else {
    print(Options.usage)
    exit(2)
}
exit(Fuzzer(options: options).run() ? 0 : 1)
