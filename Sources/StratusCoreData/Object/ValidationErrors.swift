import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The errors of a validation that found several, in the `userInfo` of its error.
public let NSDetailedErrorsKey = "NSDetailedErrors"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The object that failed a validation, in the `userInfo` of the error.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The name of the property that failed a validation, in the `userInfo` of the error.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The predicate that a value did not satisfy, in the `userInfo` of the error.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The value that failed a validation, in the `userInfo` of the error.
public let NSValidationValueErrorKey = "NSValidationErrorValue"

extension CocoaError.Code {
    /// A value does not satisfy a predicate of its property.
    public static let managedObjectValidation = CocoaError.Code(rawValue: 1550)
    /// Several values failed; the errors are under `NSDetailedErrorsKey`.
    public static let validationMultipleErrors = CocoaError.Code(rawValue: 1560)
    /// A property that is not optional has no value.
    public static let validationMissingMandatoryProperty = CocoaError.Code(rawValue: 1570)
    /// A to-many relationship has too few objects.
    public static let validationRelationshipLacksMinimumCount = CocoaError.Code(rawValue: 1580)
    /// A to-many relationship has too many objects.
    public static let validationRelationshipExceedsMaximumCount = CocoaError.Code(rawValue: 1590)
    /// A relationship with the rule to deny still leads to objects.
    public static let validationRelationshipDeniedDelete = CocoaError.Code(rawValue: 1600)
    /// A number is too large.
    public static let validationNumberTooLarge = CocoaError.Code(rawValue: 1610)
    /// A number is too small.
    public static let validationNumberTooSmall = CocoaError.Code(rawValue: 1620)
    /// A date is too late.
    public static let validationDateTooLate = CocoaError.Code(rawValue: 1630)
    /// A date is too early.
    public static let validationDateTooSoon = CocoaError.Code(rawValue: 1640)
    /// A value is not a valid date.
    public static let validationInvalidDate = CocoaError.Code(rawValue: 1650)
    /// A text is too long.
    public static let validationStringTooLong = CocoaError.Code(rawValue: 1660)
    /// A text is too short.
    public static let validationStringTooShort = CocoaError.Code(rawValue: 1670)
    /// A text does not match the pattern of its attribute.
    public static let validationStringPatternMatching = CocoaError.Code(rawValue: 1680)
    /// A value is not a valid URI.
    public static let validationInvalidURI = CocoaError.Code(rawValue: 1690)
}
