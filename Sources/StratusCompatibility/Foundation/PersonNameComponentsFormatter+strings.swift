import Foundation

/// Lets `PersonNameComponentsFormatter` be made: its initializer on Linux only stops the program.
public protocol PersonNameFormatterInitializable {}

@available(*, deprecated, message: "Only because Foundation on Linux says so of PersonNameComponentsFormatter.")
extension PersonNameComponentsFormatter: PersonNameFormatterInitializable {}

@available(*, deprecated, message: "Only because Foundation on Linux says so of PersonNameComponentsFormatter.")
extension PersonNameFormatterInitializable where Self: PersonNameComponentsFormatter {
    /// One that gives given name and family name.
    public init() { self = ClassExchange.zeroed(Self.self) }
}

@available(*, deprecated, message: "Only because Foundation on Linux says so of PersonNameComponentsFormatter.")
extension PersonNameComponentsFormatter {
    /// The name in the formatter's style; see ``PersonNameComponents/FormatStyle``.
    public func string(from components: PersonNameComponents) -> String {
        Self.localizedString(from: components, style: style, options: isPhonetic ? .phonetic : [])
    }

    /// The name in a style; see ``PersonNameComponents/FormatStyle``.
    public class func localizedString(
        from components: PersonNameComponents, style nameFormatStyle: Style, options nameOptions: Options = []
    ) -> String {
        let spoken = nameOptions.contains(.phonetic) ? components.phoneticRepresentation : nil
        let style: PersonNameComponents.FormatStyle.Style =
            switch nameFormatStyle {
            case .short: .short
            case .long: .long
            case .abbreviated: .abbreviated
            case .default, .medium: .medium
            }
        return (spoken ?? components).formatted(.name(style: style))
    }
}
