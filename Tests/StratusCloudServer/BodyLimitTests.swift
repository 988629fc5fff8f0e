import Testing

@testable import StratusCloudServer

/// How large a body may be is decided by where the request goes, before anything of it is read.
@Suite struct BodyLimitTests {
    @Test(arguments: [
        ("POST", "/database/1/none/of/these/are/there", false), ("POST", "//database//1//none", false),
        ("POST", "/device/1/none", false), ("POST", "/console/api/c/none", false),
        ("PUT", "/console/api/c/none", false),
        ("POST", "/console/api/session", true), ("PUT", "///console/api/session", true), ("POST", "/sign-up", true),
        ("POST", "/databases/1", true), ("POST", "/none", true), ("POST", "/assets/download/none", true),
        ("PUT", "/none", false), ("GET", "/database/1/none", false),
    ])
    func formsAreSmall(method: String, path: String, isForm: Bool) async throws {
        let cloud = try await TestCloud()
        let body = String(repeating: " ", count: ServerLimits.formSize + 1)
        let answer = try await cloud.client.send(method, path, body: body)
        #expect((answer.status == 413) == isForm, "\(answer.status)")
        await cloud.stop()
    }

    @Test func bodiesThatNobodyReadsAreBounded() async throws {
        let cloud = try await TestCloud()
        let body = String(repeating: " ", count: ServerLimits.ignoredBodySize + 1)
        #expect(try await cloud.client.send("GET", "/database/1/none", body: body).status == 413)
        await cloud.stop()
    }
}
