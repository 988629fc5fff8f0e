import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// `/published/<token>/<name>`: the bytes of a published file, for everybody who has the link.
struct PublishedFileHandler: Sendable {
    let service: CloudService
    let assets: AssetHandler

    func respond(to head: HTTPRequestHead, token: String, name: String) async -> (HTTPResponse, [CloudError]) {
        do throws(CloudError) {
            // The name is part of the address that was handed out; another one would be somebody else's word.
            guard let (file, download) = try await service.openPublication(token),
                Array(file.name.utf8) == Array(name.utf8)
            else {
                return (
                    Self.page(
                        404, "This link is not valid", "The file is no longer published, or the address is incomplete."),
                    []
                )
            }
            guard let download else { return (Self.empty(file, head), []) }
            let headers = AssetHandler.headers(download, name: file.name)
            return (try await assets.response(with: download, to: head, headers: headers), [])
        } catch {
            return (Self.page(error.code.httpStatus, "This file cannot be sent", error.sentence), [error])
        }
    }

    private static func page(_ status: Int, _ title: String, _ explanation: String) -> HTTPResponse {
        PageResponse.make(status: status, Page.failure(title: title, explanation: explanation))
    }

    /// A file that was never written has no bytes that are stored.
    private static func empty(_ file: PublishedFile, _ head: HTTPRequestHead) -> HTTPResponse {
        AssetContentBytes(bytes: [], tag: "\"\(file.id)\"").response(
            to: head, headers: [("Content-Disposition", AttachmentName.disposition(file.name))])
    }
}
