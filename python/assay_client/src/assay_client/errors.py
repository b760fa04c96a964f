"""What can go wrong. What became of a kernel is no error: it is a verdict, and comes as data."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Type

if TYPE_CHECKING:
    from .results import Job


class AssayError(Exception):
    """The base of everything this package raises by itself."""


class ConnectionFailed(AssayError, ConnectionError):
    """The server could not be reached, or left in the middle of an answer, on every attempt."""


class WaitTimedOut(AssayError, TimeoutError):
    """The caller's own patience ended. The job goes on."""

    def __init__(self, job_id: str) -> None:
        super().__init__(f"job {job_id} has not finished in the time given; it goes on")
        self.job_id = job_id


class JobEndedWithoutResult(AssayError):
    """A job that has no answer in the compatible form; `job` says everything about it."""

    def __init__(self, job: Job, message: str) -> None:
        super().__init__(message)
        self.job = job


class JobFailed(JobEndedWithoutResult):
    """The server failed to do the work; nothing is known of the kernel."""


class JobCancelled(JobEndedWithoutResult):
    """Somebody cancelled the job."""


class JobTimedOut(JobEndedWithoutResult, TimeoutError):
    """The work took longer than the job's own `timeout`, and was killed."""


@dataclass(frozen=True)
class FieldError:
    """One wrong field of a request."""

    path: str
    message: str
    type: str = ""


class ApiError(AssayError):
    """The server refused a request."""

    def __init__(self, status: int, code: str, message: str, fields: Tuple[FieldError, ...] = (),
                 retry_after: Optional[float] = None) -> None:
        told = "".join(f"\n  {field.path}: {field.message}" for field in fields)
        # The message of the server is a list of its fields, where there are any.
        super().__init__(f"{'wrong fields' if told else message} ({f'{status} {code}'.strip()}){told}")
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields
        self.retry_after = retry_after


class InvalidRequest(ApiError):
    """400, 413, 415, 422: the request cannot be taken; `fields` names what is wrong in it."""


class NotFound(ApiError):
    """404: there is no such job, or no longer."""


class NotAllowed(ApiError):
    """401, 403: the server knows no such token, or it does not allow this."""


class Conflict(ApiError):
    """409: the key was used with another body, or the job has already ended."""


class QueueFull(ApiError):
    """429: as many jobs wait as may, or the token has used up what it may."""


class Unavailable(ApiError):
    """502, 503, 504: the server, or a proxy before it, cannot answer now."""


class ServerError(ApiError):
    """Any other status: a fault of the server."""


_KINDS: Dict[int, Type[ApiError]] = {
    400: InvalidRequest, 413: InvalidRequest, 415: InvalidRequest, 422: InvalidRequest,
    401: NotAllowed, 403: NotAllowed, 404: NotFound, 409: Conflict, 429: QueueFull,
    502: Unavailable, 503: Unavailable, 504: Unavailable, 507: Unavailable,
}


def error_of(status: int, body: bytes, retry_after: Optional[float] = None) -> ApiError:
    """The error that an answer with this status and body means."""
    code, message, fields = _read(body)
    kind = _KINDS.get(status, ServerError)
    return kind(status, code, message or f"the server answered {status}", fields, retry_after)


def _read(body: bytes) -> Tuple[str, str, Tuple[FieldError, ...]]:
    """Code, message and fields, from either shape of error; a proxy's page becomes the message."""
    text = body.decode("utf-8", "replace")
    try:
        parsed = json.loads(text)
    except ValueError:
        return "", text.strip()[:500], ()
    if not isinstance(parsed, dict):
        return "", text.strip()[:500], ()
    error = parsed.get("error", parsed.get("detail", ""))
    if isinstance(error, dict):
        return str(error.get("code", "")), str(error.get("message", "")), _fields(
            error.get("fields", []), "path")
    return str(parsed.get("status", "")), str(error), _fields(
        parsed.get("validation_errors", []), "field")


def _fields(entries: Any, path: str) -> Tuple[FieldError, ...]:
    found: List[FieldError] = []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            found.append(FieldError(str(entry.get(path, "")), str(entry.get("message", "")),
                                    str(entry.get("type", ""))))
    return tuple(found)
