#include "CICU.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

const int32_t cicu_buffer_overflow = U_BUFFER_OVERFLOW_ERROR;

cicu_breaker *cicu_open_word_breaker(int32_t *error) {
    UErrorCode code = U_ZERO_ERROR;
    UBreakIterator *breaker = ubrk_open(UBRK_WORD, "", NULL, 0, &code);
    *error = code;
    return (cicu_breaker *)breaker;
}

void cicu_close_breaker(cicu_breaker *breaker) { ubrk_close((UBreakIterator *)breaker); }

void cicu_set_text(cicu_breaker *breaker, const uint16_t *text, int32_t length, int32_t *error) {
    UErrorCode code = U_ZERO_ERROR;
    ubrk_setText((UBreakIterator *)breaker, (const UChar *)text, length, &code);
    *error = code;
}

int32_t cicu_next_boundary(cicu_breaker *breaker) { return ubrk_next((UBreakIterator *)breaker); }

bool cicu_is_word(cicu_breaker *breaker) {
    return ubrk_getRuleStatus((UBreakIterator *)breaker) >= UBRK_WORD_NONE_LIMIT;
}

static int32_t normalize(
    const UNormalizer2 *form, const uint16_t *text, int32_t length, uint16_t *output, int32_t capacity,
    UErrorCode code, int32_t *error) {
    int32_t count = unorm2_normalize(form, (const UChar *)text, length, (UChar *)output, capacity, &code);
    *error = code;
    return count;
}

int32_t cicu_nfkd(const uint16_t *text, int32_t length, uint16_t *output, int32_t capacity, int32_t *error) {
    UErrorCode code = U_ZERO_ERROR;
    const UNormalizer2 *form = unorm2_getNFKDInstance(&code);
    return normalize(form, text, length, output, capacity, code, error);
}

int32_t cicu_nfd(const uint16_t *text, int32_t length, uint16_t *output, int32_t capacity, int32_t *error) {
    UErrorCode code = U_ZERO_ERROR;
    const UNormalizer2 *form = unorm2_getNFDInstance(&code);
    return normalize(form, text, length, output, capacity, code, error);
}

int32_t cicu_nfc(const uint16_t *text, int32_t length, uint16_t *output, int32_t capacity, int32_t *error) {
    UErrorCode code = U_ZERO_ERROR;
    const UNormalizer2 *form = unorm2_getNFCInstance(&code);
    return normalize(form, text, length, output, capacity, code, error);
}

int32_t cicu_fold_case(const uint16_t *text, int32_t length, uint16_t *output, int32_t capacity, int32_t *error) {
    UErrorCode code = U_ZERO_ERROR;
    int32_t count =
        u_strFoldCase((UChar *)output, capacity, (const UChar *)text, length, U_FOLD_CASE_DEFAULT, &code);
    *error = code;
    return count;
}

uint8_t cicu_combining_class(uint32_t character) { return u_getCombiningClass((UChar32)character); }

bool cicu_is_ideographic(uint32_t character) {
    UErrorCode code = U_ZERO_ERROR;
    UScriptCode script = uscript_getScript((UChar32)character, &code);
    return script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA;
}

bool cicu_is_pictograph(uint32_t character) {
    return u_hasBinaryProperty((UChar32)character, UCHAR_EXTENDED_PICTOGRAPHIC)
        || u_hasBinaryProperty((UChar32)character, UCHAR_REGIONAL_INDICATOR);
}
