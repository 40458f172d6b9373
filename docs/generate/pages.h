/*
 * Man pages and shell completion are written when GCspy is built, by three small programs: each is
 * linked with the tables from which a program's --help comes, so that no text is written twice.
 *
 * What the three share: files that are written or end the program with a message, and roff.
 */
#ifndef GCSPY_PAGES_H
#define GCSPY_PAGES_H

#include <stdbool.h>
#include <stdio.h>

/* Opens FOLDER/NAME for writing. Ends the program with a message if that fails. */
FILE *pages_open(const char *folder, const char *name);

/* Closes it. Ends the program with a message if something was not written. */
void pages_close(FILE *file);

/* The head of a page, and its section NAME. */
void man_begin(FILE *page, const char *name, int section, const char *summary);

void man_section(FILE *page, const char *title);

/* A paragraph of plain text; `words` in backquotes become bold. */
void man_text(FILE *page, const char *text);

/* Verbatim lines, such as a command line; `text` may have several. */
void man_example(FILE *page, const char *text);

/* An option or a command with its argument ("" or NULL: none), and what it means. */
void man_entry(FILE *page, const char *name, const char *argument, const char *help);

/* "PAGE(SECTION)" as a reference; `rest` is what follows it, such as a comma. */
void man_reference(FILE *page, const char *name, int section, const char *rest);

/* Text within single quotes of a shell. */
void shell_quoted(FILE *script, const char *text);

/* The words of a choice such as "text|json" or "[view|summary]", with blanks between them. */
void shell_choice(FILE *script, const char *choice);

/* The beginning of a bash completion: its function, up to the cases of `option`, the word before `cur`;
 * `example` is an option with its value. */
void bash_begin(FILE *script, const char *program, const char *function, const char *example);

/* An option as an argument of zsh's _arguments. */
void zsh_option(FILE *script, const char *name, const char *argument, const char *help);

/* A key as an argument of zsh's _values; `value` as in zsh_option. */
void zsh_value(FILE *script, const char *key, const char *value, const char *help);

/* The main function of a program that writes a page and two completions to a folder. */
int pages_main(int count, char **words, void (*page)(const char *folder),
    void (*bash)(const char *folder), void (*zsh)(const char *folder));

/* True if an argument's text is a choice. */
bool is_choice(const char *argument);

#endif
