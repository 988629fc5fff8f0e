#pragma once
#include <stdbool.h>
#include <stdint.h>

// The part of ICU that Stratus uses. Not ICU's own headers: their types are also in Foundation's private copy, and
// Swift refuses to see both; and ICU renames its functions by macro, which Swift does not see.
//
// `error` is an ICU error code: set it to 0 before; it is above 0 after a failure. All texts are UTF-16.

/// The error code for an output with too little room.
extern const int32_t cicu_buffer_overflow;

typedef struct cicu_breaker cicu_breaker;

/// Opens an iterator over word boundaries in the root locale; NULL on failure.
cicu_breaker *cicu_open_word_breaker(int32_t *error);
void cicu_close_breaker(cicu_breaker *breaker);
/// The breaker points to the text until it gets another.
void cicu_set_text(cicu_breaker *breaker, const uint16_t *text, int32_t length, int32_t *error);
/// The next boundary, or -1 behind the last.
int32_t cicu_next_boundary(cicu_breaker *breaker);
/// Whether the last boundary ended a word or a number.
bool cicu_is_word(cicu_breaker *breaker);

// These return the length of the whole result, also when it has no room.
int32_t cicu_nfkd(const uint16_t *text, int32_t length, uint16_t *output, int32_t capacity, int32_t *error);
int32_t cicu_nfd(const uint16_t *text, int32_t length, uint16_t *output, int32_t capacity, int32_t *error);
int32_t cicu_nfc(const uint16_t *text, int32_t length, uint16_t *output, int32_t capacity, int32_t *error);
int32_t cicu_fold_case(const uint16_t *text, int32_t length, uint16_t *output, int32_t capacity, int32_t *error);

uint8_t cicu_combining_class(uint32_t character);
/// Whether it is a Han, Hiragana or Katakana character.
bool cicu_is_ideographic(uint32_t character);
/// Whether it is an emoji or another pictograph.
bool cicu_is_pictograph(uint32_t character);
