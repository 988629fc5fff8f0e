/// How often something may be done: so many times in a span, in one go or spread over it.
public struct Rate: Hashable, Sendable {
    /// Times in a span, and at once after a rest.
    public var count: Int
    /// The span in milliseconds.
    public var span: Int64

    /// Makes a rate; both numbers must be positive.
    public init(_ count: Int, in span: Int64) {
        precondition(count > 0 && span > 0)
        self.count = count
        self.span = span
    }

    /// So many times a second.
    public static func perSecond(_ count: Int) -> Rate { Rate(count, in: 1_000) }

    /// The units of work (``RequestCost``) that this rate of requests allows: ten for each, but at once only as many as
    /// requests, so that what is large comes spaced.
    var work: Rate { Rate(count, in: max(1, span / 10)) }
}

/// How often clients may ask. Nil is without limit.
public struct RequestRates: Hashable, Sendable {
    /// Requests from one network address, whatever they bring.
    public var perAddress: Rate?
    /// Requests with one API token or server-to-server key: all users of an app together.
    public var perToken: Rate?
    /// Requests of one signed-in user.
    public var perUser: Rate?
    /// People whom one user looks for, by name, address or hash: what an attempt to find out who is there would need.
    public var people: Rate?

    /// Makes rates; by default requests are not counted, and people looked for are.
    public init(
        perAddress: Rate? = nil, perToken: Rate? = nil, perUser: Rate? = nil,
        people: Rate? = Rate(ServiceLimits.peoplePerHour, in: 3_600_000)
    ) {
        self.perAddress = perAddress
        self.perToken = perToken
        self.perUser = perUser
        self.people = people
    }
}
