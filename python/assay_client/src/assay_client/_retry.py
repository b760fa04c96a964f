"""When a request is repeated, and after how long."""
from __future__ import annotations

import datetime
import email.utils
import random
import ssl
from dataclasses import dataclass
from typing import Optional

from .errors import ConnectionFailed, QueueFull, Unavailable

LONGEST_PAUSE = 10.0


@dataclass(frozen=True)
class Retries:
    """How long a client keeps trying. Every request is safe to repeat: submissions carry a key.

    `attempts`: how often a request is sent if the server cannot be reached or says that it is
    unavailable. `patience`: seconds for which a full queue is asked again.
    """

    attempts: int = 5
    patience: float = 300.0


NO_RETRIES = Retries(attempts=1, patience=0.0)


class Attempts:
    """The attempts of one request, or of one stream between two events."""

    def __init__(self, policy: Retries) -> None:
        self._policy = policy
        self._failed = 0
        self._waited = 0.0

    def pause_after(self, error: Exception) -> Optional[float]:
        """Seconds to wait before the next attempt; None if there is to be none."""
        if isinstance(error, QueueFull):
            pause = min(error.retry_after or 1.0, LONGEST_PAUSE) * random.uniform(1.0, 1.25)
            self._waited += pause
            return pause if self._waited <= self._policy.patience else None
        if not is_passing(error):
            return None
        self._failed += 1
        if self._failed >= self._policy.attempts:
            return None
        if isinstance(error, Unavailable) and error.retry_after is not None:
            return min(error.retry_after, LONGEST_PAUSE)
        # Doubles from a quarter of a second; spread so that many clients do not return at once.
        return float(min(0.25 * 2 ** (self._failed - 1), LONGEST_PAUSE) * random.uniform(0.5, 1.0))

    @property
    def failed(self) -> int:
        return self._failed


def is_passing(error: Exception) -> bool:
    """Whether another attempt may succeed."""
    if isinstance(error, (ssl.SSLCertVerificationError, ConnectionFailed)):
        return False  # the second one has been tried often enough
    return isinstance(error, (OSError, Unavailable))


def seconds_of(retry_after: Optional[str]) -> Optional[float]:
    """`Retry-After`, in either of its forms; None if absent or neither."""
    if retry_after is None:
        return None
    if retry_after.strip().isdigit():
        return float(retry_after)
    try:
        when = email.utils.parsedate_to_datetime(retry_after)
    except (TypeError, ValueError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=datetime.timezone.utc)
    return max(0.0, (when - datetime.datetime.now(datetime.timezone.utc)).total_seconds())
