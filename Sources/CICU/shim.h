#pragma once
#include <stdbool.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

// ICU renames its functions by macro (ubrk_open is ubrk_open_72), which Swift does not see; hence these names.

static inline UBreakIterator *cicu_open_word_breaker(UErrorCode *error) {
    return ubrk_open(UBRK_WORD, "", NULL, 0, error);
}

static inline void cicu_close_breaker(UBreakIterator *breaker) { ubrk_close(breaker); }

static inline void cicu_set_text(UBreakIterator *breaker, const UChar *text, int32_t length, UErrorCode *error) {
    ubrk_setText(breaker, text, length, error);
}

static inline int32_t cicu_next_boundary(UBreakIterator *breaker) { return ubrk_next(breaker); }

static inline int32_t cicu_rule_status(UBreakIterator *breaker) { return ubrk_getRuleStatus(breaker); }

static inline const UNormalizer2 *cicu_nfkd(UErrorCode *error) { return unorm2_getNFKDInstance(error); }

static inline const UNormalizer2 *cicu_nfc(UErrorCode *error) { return unorm2_getNFCInstance(error); }

static inline int32_t cicu_normalize(
    const UNormalizer2 *form, const UChar *text, int32_t length, UChar *output, int32_t capacity, UErrorCode *error) {
    return unorm2_normalize(form, text, length, output, capacity, error);
}

static inline int32_t cicu_fold_case(
    UChar *output, int32_t capacity, const UChar *text, int32_t length, UErrorCode *error) {
    return u_strFoldCase(output, capacity, text, length, U_FOLD_CASE_DEFAULT, error);
}

static inline uint8_t cicu_combining_class(UChar32 character) { return u_getCombiningClass(character); }

static inline int32_t cicu_script(UChar32 character) {
    UErrorCode error = U_ZERO_ERROR;
    return uscript_getScript(character, &error);
}

static inline bool cicu_is_pictograph(UChar32 character) {
    return u_hasBinaryProperty(character, UCHAR_EXTENDED_PICTOGRAPHIC) != 0
        || u_hasBinaryProperty(character, UCHAR_REGIONAL_INDICATOR) != 0;
}
