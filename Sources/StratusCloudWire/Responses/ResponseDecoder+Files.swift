import StratusCloudModel

extension ResponseDecoder {
    /// The answer to `users/fileRoom`.
    public func fileRoom(_ body: [UInt8]) throws(CloudError) -> FileRoom {
        try read(body) { (body) throws(CloudError) in
            let (used, available) = (try body.required("used"), body.member("available"))
            let room = FileRoom(
                used: try used.integerOrText(),
                available: try available.map { (number) throws(CloudError) in try number.integerOrText() })
            guard room.used >= 0, room.available ?? 0 >= 0 else { throw used.refusal("must not be negative") }
            return room
        }
    }
}
