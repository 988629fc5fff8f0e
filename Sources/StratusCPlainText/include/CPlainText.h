// Where in a text JSON may have to escape something, found sixteen bytes at a time with the processor's vectors, which
// Swift's own would take apart where only the oldest of them may be presumed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__SSE2__) || (defined(__ARM_NEON) && defined(__aarch64__))
// Whether there is a quotation mark, a backslash or a control character among sixteen bytes.
static inline int plain_text_ends(const uint8_t *bytes) {
#if defined(__SSE2__)
    const __m128i text = _mm_loadu_si128((const __m128i *)bytes);
    const __m128i found = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\\'))),
        _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(0x1F)), text));
    return _mm_movemask_epi8(found) != 0;
#else
    const uint8x16_t text = vld1q_u8(bytes);
    const uint8x16_t found = vorrq_u8(
        vorrq_u8(vceqq_u8(text, vdupq_n_u8('"')), vceqq_u8(text, vdupq_n_u8('\\'))), vcleq_u8(text, vdupq_n_u8(0x1F)));
    return vmaxvq_u8(found) != 0;
#endif
}
#endif

// Goes from `start` over bytes among which there is none of these: to the end if there is none, else to a place from
// which the first is less than sixteen bytes away. Stays at `start` if there are less than sixteen bytes, and on
// processors without such vectors.
static inline size_t plain_text_run(const uint8_t *bytes, size_t start, size_t count) {
#if defined(__SSE2__) || (defined(__ARM_NEON) && defined(__aarch64__))
    if (count - start < 16) return start;
    for (; count - start >= 16; start += 16) {
        if (plain_text_ends(bytes + start)) return start;
    }
    // What is left, and of what was found to be plain as much as makes sixteen.
    if (!plain_text_ends(bytes + count - 16)) return count;
#else
    (void)bytes;
    (void)count;
#endif
    return start;
}
