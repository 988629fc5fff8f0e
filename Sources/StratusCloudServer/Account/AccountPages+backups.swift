import StratusCloudModel
import StratusCloudService

/// The backups of a person's devices.
extension AccountPages {
    static func backups(_ backups: [OwnDeviceBackup], _ formToken: String) -> String {
        guard !backups.isEmpty else { return "" }
        let rows = backups.enumerated().map { index, backup in
            let last = backup.lastBackup.map { "Last backup \(moment($0))" } ?? "No backup is complete yet"
            let fields = """
                <input type="hidden" name="device" value="\(HTML.escape(backup.device.name))">
                <label class="keep"><input type="checkbox" id="backup-confirm-\(index)" name="confirm" value="on" required> \
                Delete all backups of this device for good</label>
                """
            return """
                <li><strong id="backup-\(index)">\(HTML.escape(backup.device.name))</strong>
                <p>\(last), \(size(backup.bytes)). Backed up since \(CalendarDay(milliseconds: backup.created)).</p>
                \(form(
                    "delete-backup", formToken,
                    fields
                        + button(
                            "Delete backup", id: "delete-backup-\(index)", isQuiet: true,
                            describedBy: "backup-\(index)")))
                </li>
                """
        }
        return section(
            "backups", "Device backups",
            "<p>Only your devices can read them.</p>"
                + "<ul class=\"rows\" id=\"backup-list\">\(rows.joined(separator: "\n"))</ul>")
    }

    /// Bytes in the largest unit of which there is at least one, with one digit behind the point.
    static func size(_ bytes: Int64) -> String {
        let units = ["kB", "MB", "GB", "TB"]
        guard bytes >= 1_000 else { return "\(bytes) bytes" }
        var (tenths, unit) = (bytes / 100, 0)
        while tenths >= 10_000, unit < units.count - 1 { (tenths, unit) = (tenths / 1_000, unit + 1) }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
