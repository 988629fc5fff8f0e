import Glibc
import StratusCCurl

/// One request on its way: its handle of libcurl and what has come back.
///
/// `@unchecked Sendable`: made by the sender, then touched only by the client's thread (see `TransferLoop`).
final class Transfer: @unchecked Sendable {
    typealias Outcome = Result<HTTPClientResponse, HTTPClientError>

    let request: HTTPClientRequest
    /// Takes the outcome; nil once it is given.
    var continuation: CheckedContinuation<Outcome, Never>?
    /// The handle while the transfer is under way.
    var handle: UnsafeMutableRawPointer?
    var isCancelled = false

    private var reader: ResponseReader
    private var excess: ResponseReader.Excess?
    /// Whether a private address of the host was passed over, and whether another was tried.
    private var hasRefusedAddress = false
    private var hasTriedAddress = false
    private var sent = 0
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    init(_ request: HTTPClientRequest, options: HTTPClientOptions) {
        self.request = request
        reader = ResponseReader(maximumLength: options.maximumResponseLength)
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// Gives the outcome to who waits, once.
    func finish(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    /// Sets all options of `handle` for this request. The handle must be reset or released before the transfer is.
    func configure(_ handle: UnsafeMutableRawPointer, options: HTTPClientOptions) {
        self.handle = handle
        EasyOptions(handle: handle).apply(options, to: request)
        for field in request.headers {
            // A colon without a value would remove the header; this is libcurl's way to send it empty.
            let line = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
            headerList = curl_slist_append(headerList, line)
        }
        // Servers that never answer `Expect: 100-continue` would cost each upload a second.
        headerList = curl_slist_append(headerList, "Expect:")
        stratus_curl_set_list(handle, CURLOPT_HTTPHEADER, headerList)
        stratus_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
        // The loop keeps the transfer alive for as long as the handle may call back.
        let context = Unmanaged.passUnretained(self).toOpaque()
        stratus_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
        stratus_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        stratus_curl_set_pointer(handle, CURLOPT_READDATA, context)
        stratus_curl_set_pointer(handle, CURLOPT_SEEKDATA, context)
        stratus_curl_set_data_callback(handle, CURLOPT_HEADERFUNCTION, receiveHeaderLine)
        stratus_curl_set_data_callback(handle, CURLOPT_WRITEFUNCTION, receiveBody)
        stratus_curl_set_data_callback(handle, CURLOPT_READFUNCTION, sendBody)
        stratus_curl_set_seek_callback(handle, rewindBody)
        if !options.allowsPrivateAddresses {
            stratus_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, context)
            stratus_curl_set_socket_callback(handle, openSocketToPublicAddress)
        }
    }

    /// What became of the transfer that libcurl ended with `code`.
    func outcome(_ code: CURLcode) -> Outcome {
        switch excess {
        case .header: return .failure(HTTPClientError(.tooLarge, "the header of the response is too long"))
        case .body: return .failure(HTTPClientError(.tooLarge, "the body of the response is too long"))
        case nil: break
        }
        guard code == CURLE_OK, let handle else {
            if hasRefusedAddress, !hasTriedAddress {
                return .failure(HTTPClientError(.forbiddenAddress, "the host has a private address"))
            }
            return .failure(HTTPClientError(curl: code, detail: String(cString: errorText)))
        }
        var status = 0
        stratus_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return .success(reader.response(status: status))
    }

    fileprivate func receive(_ bytes: UnsafeRawBufferPointer, isHeader: Bool) -> Bool {
        do throws(ResponseReader.Excess) {
            if isHeader { try reader.append(headerLine: bytes) } else { try reader.append(body: bytes) }
            return true
        } catch {
            excess = error
            return false
        }
    }

    fileprivate func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, request.body.count - sent)
        request.body.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count]))
        }
        sent += count
        return count
    }

    /// libcurl goes back to send a request again whose connection, an older one, broke before an answer began. The server
    /// may have done what it asks for, so that is for who asks to decide, unless doing it twice is doing it once.
    fileprivate func seek(to offset: Int) -> Bool {
        guard 0...request.body.count ~= offset, sent <= offset || request.isIdempotent else { return false }
        sent = offset
        return true
    }

    /// A socket for an address, if it is public; ``noSocket`` makes libcurl try the next one.
    fileprivate func open(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
        guard let place = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return noSocket }
        // The member's type is shorter than what lies there: an address of version 6 goes on behind it.
        let bytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(address) + place, count: Int(address.pointee.addrlen))
        guard let peer = NetworkAddress(socketAddress: bytes), peer.isPublic else {
            hasRefusedAddress = true
            return noSocket
        }
        hasTriedAddress = true
        let (family, type) = (address.pointee.family, address.pointee.socktype)
        return socket(family, type | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    }

    fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }
}

// libcurl's callbacks, on the client's thread. Another number than `count` stops the transfer.

private func receiveHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
    return Transfer.from(context)?.receive(buffer, isHeader: true) == true ? count : -1
}

private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
    return Transfer.from(context)?.receive(buffer, isHeader: false) == true ? count : -1
}

private func sendBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = Transfer.from(context) else { return Int(CURL_READFUNC_ABORT) }
    return transfer.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

private func rewindBody(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard origin == SEEK_SET, Transfer.from(context)?.seek(to: Int(offset)) == true else { return CURL_SEEKFUNC_FAIL }
    return CURL_SEEKFUNC_OK
}

/// CURL_SOCKET_BAD
private let noSocket: curl_socket_t = -1

private func openSocketToPublicAddress(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let transfer = Transfer.from(context), let address else { return noSocket }
    return transfer.open(address)
}
