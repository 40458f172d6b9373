/* Versions of the library and of the wire protocol, and the marking of public symbols. */
#ifndef GCSPY_VERSION_H
#define GCSPY_VERSION_H

#include <stdint.h>

#define GCS_VERSION_MAJOR  0
#define GCS_VERSION_MINOR  1
#define GCS_VERSION_PATCH  0
#define GCS_VERSION_STRING "0.1.0"

/*
 * The protocol's version, sent in both preambles (docs/protocol.md, section 2). Peers with different
 * major versions reject each other; a minor version only adds messages and trailing fields, which
 * older peers skip.
 */
#define GCS_PROTOCOL_MAJOR 1
#define GCS_PROTOCOL_MINOR 3

#define GCS_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define GCS_BEGIN_DECLS extern "C" {
#define GCS_END_DECLS   }
#else
#define GCS_BEGIN_DECLS
#define GCS_END_DECLS
#endif

/*
 * Room for the fields of later releases, so that programs need not be compiled again. Structs that a
 * program fills end in `reserved` words, and a later field takes the place of some of them: sizes and
 * offsets stay as they are. 0 means what the first release does. Therefore fill structs by designated
 * initialisers, or set them to 0 first. A function that is given another value than 0 in a word that
 * it does not know fails with GCS_ARGUMENT: the program wants something of a later release.
 */
#define GCS_RESERVED(words) uint64_t reserved[words]

GCS_BEGIN_DECLS

/* The library's version as text, such as "0.1.0". Any thread. */
GCS_API const char *gcs_version(void);

GCS_END_DECLS

#endif
