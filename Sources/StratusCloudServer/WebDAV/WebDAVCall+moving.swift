import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusWebDAV

extension WebDAVCall {
    /// Where something is copied or moved to.
    private struct Target {
        let path: WebDAVPath
        let name: String
        let folder: FileFolder
        /// What is there now.
        let replaced: FileItem?
    }

    func move() async throws -> HTTPResponse {
        guard try Depth(head.headers["Depth"], otherwise: .infinity) == .infinity else {
            throw WebDAVError(400, "a folder is moved with Depth infinity")
        }
        guard let item = try await changeable().item else { throw WebDAVError(403, "the root folder cannot be moved") }
        let target = try await target(of: item)
        try checkLocks(.tree, of: path, isMember: true)
        try checkLocks(.tree, of: target.path, isMember: true)
        _ = try await service.moveFile(
            item, to: target.folder, named: target.name, replacing: target.replaced, as: caller)
        try withLocks { table throws(WebDAVError) in
            // Locks stay behind.
            table.removeAll(within: path.keys)
            if target.replaced != nil { table.removeAll(within: target.path.keys) }
        }
        return HTTPResponse(status: target.replaced == nil ? 201 : 204)
    }

    func copy() async throws -> HTTPResponse {
        let depth = try Depth(head.headers["Depth"], otherwise: .infinity)
        guard let item = try await changeable().item else { throw WebDAVError(403, "the root folder cannot be copied") }
        guard depth != .one else { throw WebDAVError(400, "a folder is copied with Depth 0 or infinity") }
        let target = try await target(of: item)
        guard target.replaced?.id != item.id else { throw WebDAVError(403, "source and destination are the same") }
        try checkLocks(.tree, of: target.path, isMember: true)
        _ = try await service.copyFile(
            item, to: target.folder, named: target.name, deep: depth == .infinity, replacing: target.replaced,
            as: caller)
        return HTTPResponse(status: target.replaced == nil ? 201 : 204)
    }

    private func target(of item: FileItem) async throws -> Target {
        guard let address = head.headers["Destination"] else {
            throw WebDAVError(400, "the header Destination is missing")
        }
        let path = try WebDAVPath(address, base: base, container: path.container)
        let mayReplace = try Overwrite.isAllowed(head.headers["Overwrite"])
        switch try await service.filePlace(at: path.names, as: caller) {
        case .root: throw WebDAVError(403, "the root folder cannot be replaced")
        case .nowhere: throw WebDAVError(409, "the folder of the destination does not exist")
        case .free(let name, let folder): return Target(path: path, name: name, folder: folder, replaced: nil)
        case .item(let there, let folder):
            let name = path.names.last ?? ""
            if there.id == item.id {
                guard name != item.name else { throw WebDAVError(403, "source and destination are the same") }
                // Another spelling of the same name.
                return Target(
                    path: path, name: name, folder: folder, replaced: head.method == "COPY" ? there : nil)
            }
            guard mayReplace else { throw WebDAVError(412, "there is something at the destination") }
            return Target(path: path, name: name, folder: folder, replaced: there)
        }
    }
}
