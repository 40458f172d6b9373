"""Looks like a HotSpot JVM in /proc, but does not answer attach requests.

    fake_jvm.py MODE LIBRARY

LIBRARY is a file named libjvm.so. MODE says what happens when SIGQUIT has come: "deaf" handles no
SIGQUIT, "silent" does nothing, "young" neither and has not the last thread of a JVM that starts,
"hidden" neither and has the thread that listens, "started" neither and has PerfData, "late" nothing the first time; the others listen at /tmp/.java_pidPID, whatever
was there, and are "mute", "closing", "garbage", "endless", "slow" (one byte in a while) or "proper".
Prints "ready", then a line for each SIGQUIT and each request. Ends with its standard input.
"""

import mmap
import os
import pwd
import signal
import socket
import struct
import sys
import threading
import time

MODE, LIBRARY = sys.argv[1:]
PATH = f"/tmp/.java_pid{os.getpid()}"
ASKED = []


def talk(connection):
    request = connection.recv(4096)
    print("request", request.split(b"\0"), flush=True)
    if MODE == "mute":
        time.sleep(60)
    elif MODE == "garbage":
        connection.sendall(bytes(range(256)) * 10)
    elif MODE == "endless":
        while True:
            connection.sendall(b"0\n" + b"x" * 4000)
    elif MODE == "slow":
        while True:
            connection.sendall(b"0")
            time.sleep(0.05)
    elif MODE == "proper":
        connection.sendall(b"0\nreturn code: 0\n")


def serve(listener):
    while True:
        connection, _ = listener.accept()
        with connection:
            try:
                talk(connection)
            except OSError:
                pass


def call_thread(name):
    with open("/proc/thread-self/comm", "w", encoding="utf-8") as comm:
        comm.write(name)


def wait_as_listener(ready):
    call_thread("Attach Listener")
    ready.set()
    time.sleep(600)


def asked(*_):
    print("SIGQUIT", flush=True)
    ASKED.append(True)
    if MODE in ("silent", "young", "hidden", "started") or threading.active_count() > 1:
        return
    if MODE == "late" and len(ASKED) == 1:
        return
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(PATH + ".tmp")
    listener.listen(1)
    os.rename(PATH + ".tmp", PATH)
    threading.Thread(target=serve, args=(listener,), daemon=True).start()


with open(LIBRARY, "rb") as library:
    mapped = mmap.mmap(library.fileno(), 0, prot=mmap.PROT_READ)
if MODE != "deaf":
    signal.signal(signal.SIGQUIT, asked)
if MODE != "young":
    call_thread("Notification Th")
if MODE == "hidden":
    named = threading.Event()
    threading.Thread(target=wait_as_listener, args=(named,), daemon=True).start()
    named.wait()
COUNTERS = f"/tmp/hsperfdata_{pwd.getpwuid(os.geteuid()).pw_name}/{os.getpid()}"
if MODE == "started":
    os.makedirs(os.path.dirname(COUNTERS), mode=0o700, exist_ok=True)
    with open(COUNTERS, "wb") as counters:
        counters.write(struct.pack("<4s4B2iq2i", b"\xca\xfe\xc0\xc0", 1, 2, 0, 1, 0, 0, 0, 32, 0))
print("ready", flush=True)
try:
    sys.stdin.read()
finally:
    if MODE == "started":
        os.unlink(COUNTERS)
    if os.path.exists(PATH):
        os.unlink(PATH)
