import StratusCloudModel

extension RequestDecoder {
    /// `files/publish`.
    public func publishFile(_ body: [UInt8]) throws(CloudError) -> PublishFileRequest {
        let body = try open(body)
        return PublishFileRequest(
            recordName: try body.required("recordName").string(),
            lifetime: try body.member("lifetime").map { (member) throws(CloudError) in try member.integer() })
    }

    /// `files/unpublish`: the publication's identifier.
    public func unpublishFile(_ body: [UInt8]) throws(CloudError) -> String {
        try open(body).required("publicationID").string()
    }
}

extension RequestEncoder {
    /// `files/publish`.
    public func publishFile(_ request: PublishFileRequest) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.optional("recordName", request.recordName)
            if let lifetime = request.lifetime {
                writer.key("lifetime")
                writer.integer(lifetime)
            }
        }
    }

    /// `files/unpublish`.
    public func unpublishFile(_ id: String) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in writer.optional("publicationID", id) }
    }
}

extension ResponseEncoder {
    /// The answer to `files/publish`.
    public func publication(_ file: PublishedFile) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.key("publication")
        writer.publication(file)
        writer.endObject()
        return writer.bytes
    }

    /// The answer to `files/published`.
    public func publications(_ files: [PublishedFile]) -> [UInt8] {
        list("publications", files, syncToken: nil) { file, writer in writer.publication(file) }
    }

    /// The answer to `files/unpublish`.
    public func unpublished(_ id: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.optional("publicationID", id)
        writer.endObject()
        return writer.bytes
    }
}

extension ResponseDecoder {
    /// The answer to `files/publish`.
    public func publication(_ body: [UInt8]) throws(CloudError) -> PublishedFile {
        try read(body) { (body) throws(CloudError) in try body.required("publication").publication() }
    }

    /// The answer to `files/published`.
    public func publications(_ body: [UInt8]) throws(CloudError) -> [PublishedFile] {
        try read(body) { (body) throws(CloudError) in
            try read("publications", of: body) { (item) throws(CloudError) in try item.publication() }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func publication(_ file: PublishedFile) {
        beginObject()
        optional("publicationID", file.id)
        optional("recordName", file.file)
        optional("name", file.name)
        for (name, value) in [("size", file.size), ("created", file.created), ("expires", file.expires)] {
            key(named: name)
            integer(value)
        }
        optional("url", file.url)
        endObject()
    }
}

extension JSONReader {
    fileprivate func publication() throws(CloudError) -> PublishedFile {
        PublishedFile(
            id: try required("publicationID").string(), file: try required("recordName").string(),
            name: try required("name").string(), size: try required("size").integer(),
            created: try required("created").integer(), expires: try required("expires").integer(),
            url: try text("url"))
    }
}
