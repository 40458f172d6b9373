/*
 * What clients ask about call sites (docs/protocol.md, section 10): the topics `sites` and `settings`, the
 * setting `interval`. Profiles are made by a thread that begins with the first question; a recording gets
 * profiles every 10 s and at the end.
 */
#ifndef GCSPYMALLOC_SITES_QUERIES_H
#define GCSPYMALLOC_SITES_QUERIES_H

#include <gcspy/server.h>

/* The server's callbacks `query` and `set`, on its I/O thread. */
void sites_query(struct gcs_server *server, const char *name, const struct gcs_query *query);
void sites_set(struct gcs_server *server, const struct gcs_setting *setting);

/* The text of an interval; false with a line in `err`. */
bool sites_parse_interval(const char *text, uint64_t *interval, struct gcs_error *err);

/* Sampling is impossible, as this static sentence says. */
void sites_refuse(const char *why);

/* A recording has begun. */
void sites_record(struct gcs_server *server, const char *name);

/* The program ends: the last profiles of the recording; and what is live as an encoded profile in a file, if
 * there is one. False with a line in `why`. */
void sites_record_last(void);
bool sites_write_live(const char *path, const char *name, char *why, size_t why_bytes);

/* In the child of fork. */
void sites_queries_forget(void);

#endif
