/// The name that people know the program behind a `User-Agent` by.
enum ClientName {
    // The order matters: most browsers also name those that they descend from.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Mac OS X", "Mac"), ("Linux", "Linux"),
    ]

    /// Such as `Firefox on Linux`; for what is no browser, the agent itself.
    static func text(of agent: String?) -> String {
        guard let agent else { return "Unknown program" }
        guard agent.hasPrefix("Mozilla/"), let browser = browsers.first(where: { agent.contains($0.0) })?.1 else {
            return String(agent.prefix(80))
        }
        let system = systems.first { agent.contains($0.0) }?.1
        return system.map { "\(browser) on \($0)" } ?? browser
    }
}
