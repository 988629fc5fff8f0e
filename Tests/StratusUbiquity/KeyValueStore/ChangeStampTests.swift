import StratusCloudModel
import Testing

@testable import StratusUbiquity

@Suite struct ChangeStampTests {
    private let stamp = ChangeStamp(date: 1_000_000, uptime: 5_000, start: "x")

    @Test(
        "the age is measured by the time since the machine's start, whatever the date became",
        arguments: [
            Int64.min, 0, 1_000_000, Int64.max,
        ]) func sameRun(date: Int64)
    {
        #expect(stamp.age(at: ChangeStamp(date: date, uptime: 7_500, start: "x")) == 2_500)
    }

    @Test("after a restart it is the difference of the dates, and at least the time since the start") func restart() {
        #expect(stamp.age(at: ChangeStamp(date: 1_090_000, uptime: 300, start: "y")) == 90_000)
        #expect(stamp.age(at: ChangeStamp(date: 2, uptime: 300, start: "y")) == 300)
        #expect(stamp.age(at: ChangeStamp(date: .max, uptime: 300, start: "y")) == KeyValueFormat.longestAge)
        #expect(stamp.age(at: ChangeStamp(date: .min, uptime: 0, start: "y")) == 0)
        // A machine that does not name its starts.
        #expect(stamp.age(at: ChangeStamp(date: 1_000_600, uptime: 300, start: "x")) == 600)
    }
}
