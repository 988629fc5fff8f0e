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
}
