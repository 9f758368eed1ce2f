"""Threads that call the same functions again and again, for tests of what they share."""

import threading

SECONDS = 1.0


def run(threads, seconds=SECONDS):
    """Call each function again and again, in a thread of its own, and return how often each was called."""
    calls, errors, stop = [0] * len(threads), [], threading.Event()

    def repeat(i, function):
        try:
            while not stop.is_set():
                function()
                calls[i] += 1
        except BaseException as error:
            errors.append(error)
            stop.set()

    running = [threading.Thread(target=repeat, args=pair) for pair in enumerate(threads)]
    for thread in running:
        thread.start()
    stop.wait(seconds)
    stop.set()
    for thread in running:
        thread.join(60)
        assert not thread.is_alive(), "a thread hangs"
    assert not errors, errors
    return calls
