import Foundation

/// Why the agent of a container could not do what it was asked for.
package struct DriveError: Error, Codable, Hashable, Sendable {
    /// What went wrong. The raw values cross the socket.
    package enum Code: String, Codable, Hashable, Sendable, CaseIterable {
        /// There is no such item.
        case noSuchFile
        /// An item has the name already.
        case fileExists
        /// The name cannot be that of an item.
        case invalidName
        /// The item may not be read or changed by this person.
        case noPermission
        /// This device has no room left.
        case outOfSpace
        /// The device that has the content has not uploaded it yet.
        case unavailable
        /// The account's quota has no room for the content.
        case overQuota
        /// The server did not answer, or refused this device.
        case serverNotAvailable
        /// No process on this machine synchronizes the container.
        case noAgent
        /// Another process on this machine synchronizes the container.
        case agentExists
        /// The item has changes that are not on the server yet.
        case notUploaded
        /// There is no such version, or the item has no conflict.
        case noSuchVersion
        /// What was asked for was given up, as its process ends.
        case cancelled
        /// Reading or writing failed on this device.
        case failed
    }

    package var code: Code
    /// The path in the container; nil if no item is meant.
    package var path: String?
    /// The reason, for people.
    package var text: String

    package init(_ code: Code, path: String? = nil, _ text: String) {
        self.code = code
        self.path = path
        self.text = text
    }

    /// The error that an app is given, with `NSFilePath` and `NSURL` of the item.
    ///
    /// - Parameter directory: The directory of the container.
    package func cocoaError(in directory: URL) -> NSError {
        cocoaError(at: path.map { $0.isEmpty ? directory : directory.appendingPathComponent($0) })
    }

    /// The error that an app is given, with `NSFilePath` and `NSURL` of an item that it named itself.
    package func cocoaError(at url: URL?) -> NSError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: text]
        if let url {
            userInfo[NSFilePathErrorKey] = url.path
            userInfo[NSURLErrorKey] = url
        }
        return NSError(domain: NSCocoaErrorDomain, code: code.cocoaCode.rawValue, userInfo: userInfo)
    }
}

extension DriveError.Code {
    /// The code that apps know.
    var cocoaCode: CocoaError.Code {
        switch self {
        case .noSuchFile, .noSuchVersion: .fileNoSuchFile
        case .fileExists, .agentExists: .fileWriteFileExists
        case .invalidName: .fileWriteInvalidFileName
        case .noPermission: .fileWriteNoPermission
        case .outOfSpace: .fileWriteOutOfSpace
        case .unavailable, .notUploaded: .ubiquitousFileUnavailable
        case .overQuota: .ubiquitousFileNotUploadedDueToQuota
        case .serverNotAvailable, .noAgent: .ubiquitousFileUbiquityServerNotAvailable
        case .cancelled: .userCancelled
        case .failed: .fileReadUnknown
        }
    }
}
