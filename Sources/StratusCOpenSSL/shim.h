#pragma once
#include <openssl/evp.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/err.h>
#include <openssl/crypto.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

/* Variadic functions and macros with casts, which Swift cannot import. */

static inline EVP_PKEY *stratus_p256_generate(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

static inline long stratus_bio_memory(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}

/* The public key of an encoded point; NULL if it is none on the curve. */
static inline EVP_PKEY *stratus_p256_public(const unsigned char *point, size_t length) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, length),
        OSSL_PARAM_construct_end(),
    };
    if (context != NULL && EVP_PKEY_fromdata_init(context) == 1)
        (void)EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    EVP_PKEY_CTX_free(context);
    return key;
}
