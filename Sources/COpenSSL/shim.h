#pragma once
#include <openssl/evp.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/err.h>
#include <openssl/crypto.h>

/* Variadic functions and macros with casts, which Swift cannot import. */

static inline EVP_PKEY *stratus_p256_generate(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

static inline long stratus_bio_memory(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}
