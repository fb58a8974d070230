"""What all tests need."""

from __future__ import annotations

import signal

# A shell's background job ignores SIGINT, and so would all children; tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)
