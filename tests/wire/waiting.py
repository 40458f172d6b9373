"""A connected client's waiting, whatever its protocol: with a limit of time, always."""

import time


class Over(Exception):
    """The connection is over; `bye` is what the server said of it, if it could and did."""

    bye = None


class Waiting:
    """What a client has that has `socket`, `phase`, and two methods: step_input(timeout) handles what
    arrives within the time and raises an Over; seen() is the list of the events that came."""

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def wait(self, done, seconds=60.0):
        """Until `done()` is true; raises TimeoutError. Returns what it returned."""
        deadline = time.monotonic() + seconds
        while not (result := done()):
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"not within {seconds} s; {self.lately()}")
            self.step_input(min(left, 0.05))
        return result

    def lately(self):
        """What came last, for messages."""
        return f"{len(self.seen())} events"

    def idle(self, seconds):
        """Handles messages for that long."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.step_input(min(left, 0.05))

    def ready(self, seconds=60.0):
        self.wait(lambda: self.phase == "LIVE", seconds)
        return self

    def more(self, count=1, seconds=60.0):
        """Waits for `count` further events and returns them."""
        have = len(self.seen())
        self.wait(lambda: len(self.seen()) >= have + count, seconds)
        return self.seen()[have:]

    def ended(self, seconds=60.0):
        """Waits for the end of the connection; returns the server's goodbye or None."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                self.step_input(0.05)
            except Over as over:
                return over.bye
        raise TimeoutError("the connection is still open")
