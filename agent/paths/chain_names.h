/*
 * The chains of a finished climb in words: classes, fields, methods and threads. On the thread that
 * climbed, before the tags are gone; not in a pause.
 */
#ifndef GCSPY_AGENT_CHAIN_NAMES_H
#define GCSPY_AGENT_CHAIN_NAMES_H

#include "arena.h"
#include "chain_tree.h"
#include "climb.h"
#include "hash.h"
#include "thread_locals.h"

struct chain_names {
	const struct climb *climb;
	bool raw; /* threads with their numbers */
	struct arena arena;
	struct hash_table fields; /* by class and index: the address of a text */
	struct hash_table roots;  /* by node, likewise */
	const char **classes;     /* by class; NULL: not looked up yet */
	struct chain_step *steps;
	uint32_t capacity;
	struct thread_locals locals;
};

/* False without memory. */
bool chain_names_begin(struct chain_names *n, const struct climb *climb, bool raw);
void chain_names_end(struct chain_names *n);

/* Adds the chain of a target to the tree, below the row `site` unless it is NULL, with these estimates; `*found` whether it ends at a root or
 * class. False without memory. */
bool chain_names_add(struct chain_names *n, uint32_t node, struct chain_tree *tree,
    const char *site, double objects, double bytes, bool *found);

/* In root_names.c: what a root is, for the node that it holds; and what loads a class. */
void root_name(const struct climb *c, uint32_t node, bool raw, char *text, size_t size);
bool loader_name(const struct climb *c, uint32_t class_, char *text, size_t size);

/* The class's name in Java syntax. */
void class_text(const struct tag_space *s, jclass class_, char *text, size_t size);

#endif
