/* What clients execute for https:// (client/upgrade.h): standard input is a socket to the client, whose bytes
 * go to a server by TLS and come back. */
#ifndef GCSPY_SERVE_CONNECT_TLS_H
#define GCSPY_SERVE_CONNECT_TLS_H

/* `words`: HOST:PORT, and the milliseconds that connecting may take. Returns when either end has closed; the
 * exit code. What fails before that is an HTTP response to the client. */
int connect_tls(int count, char **words);

#endif
