"""What both clients do: calls with retries, jobs, and their events."""
from __future__ import annotations

import json
import os
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, AsyncGenerator, Dict, List, Mapping, Optional, Union
from urllib.parse import quote, urlencode

from . import _http
from ._retry import Attempts, Retries, seconds_of
from ._sse import EventParser
from .errors import (AssayError, ConnectionFailed, Conflict, JobCancelled, JobFailed, JobTimedOut,
                     ServerError, WaitTimedOut, error_of)
from .models import Request, plain
from .results import CompareResult, Event, Job, compatible_result

JobId = Union[str, Job]


@dataclass(frozen=True)
class Settings:
    """`silence`: seconds without a byte after which a connection counts as lost. The server says
    something every 15 seconds, on a stream of events too."""

    retries: Retries = Retries()
    silence: float = 40.0
    headers: Mapping[str, str] = field(default_factory=dict)


class Session:
    def __init__(self, endpoint: _http.Endpoint, connector: _http.Connector,
                 settings: Settings) -> None:
        self._endpoint = endpoint
        self._connector = connector
        self._settings = settings

    async def call(self, method: str, path: str, body: Any = None,
                   headers: Optional[Mapping[str, str]] = None) -> Any:
        """The JSON of a successful answer. Only for requests that may be repeated."""
        encoded = None if body is None else json.dumps(body).encode()
        request = _http.Request(method, path, encoded, {**self._settings.headers, **(headers or {})})
        attempts = Attempts(self._settings.retries)
        while True:
            try:
                return _parsed(await self._answer(request))
            except (AssayError, OSError) as error:
                await self._pause(attempts, error)

    async def submit(self, request: Request, key: Optional[str]) -> Job:
        headers = {"Idempotency-Key": uuid.uuid4().hex if key is None else key}
        return Job.from_dict(await self.call("POST", "/v1/jobs", plain(request), headers))

    async def show(self, job: JobId, samples: bool, request: bool) -> Job:
        asked = {"samples": samples, "request": request}
        query = "&".join(f"{name}=true" for name, wanted in asked.items() if wanted)
        return Job.from_dict(await self.call("GET", f"{_path(job)}{'?' if query else ''}{query}"))

    async def cancel(self, job: JobId) -> str:
        try:
            answer = await self.call("DELETE", _path(job))
        except Conflict:
            # A repeat after a lost answer finds its own work done.
            state = (await self.show(job, False, False)).state
            if state != "cancelled":
                raise
            return state
        return str(answer["state"])

    async def page(self, filters: Mapping[str, Any]) -> Dict[str, Any]:
        given = {name: value for name, value in filters.items() if value is not None}
        page: Dict[str, Any] = await self.call("GET", f"/v1/jobs?{urlencode(given, doseq=True)}")
        return page

    async def jobs(self, filters: Mapping[str, Any]) -> AsyncGenerator[Job, None]:
        cursor: Optional[str] = None
        while True:
            page = await self.page({**filters, "cursor": cursor})
            for view in page["jobs"]:
                yield Job.from_dict(view)
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    async def wait(self, job: JobId, timeout: Optional[float], samples: bool = False) -> Job:
        deadline = None if timeout is None else time.monotonic() + timeout
        async for _ in self.events(job, 0, deadline):
            pass
        return await self.show(job, samples, False)

    async def result(self, request: Request, key: Optional[str]) -> CompareResult:
        """Submits, waits, and gives the answer in the compatible form."""
        job = await self.wait(await self.submit(request, key), None)
        if job.state == "failed":
            raise JobFailed(job, f"the server failed at job {job.id}: {job.error}")
        if job.state == "cancelled":
            raise JobCancelled(job, f"job {job.id} was cancelled")
        if job.verdict == "timed_out":
            raise JobTimedOut(job, job.reason)
        return compatible_result((await self.status(job.id))["result"])

    async def status(self, job_id: str) -> Dict[str, Any]:
        """The compatible view of a job."""
        return dict(await self.call("GET", f"/job/{quote(job_id, safe='')}"))

    async def events(self, job: JobId, after: int,
                     deadline: Optional[float] = None) -> AsyncGenerator[Event, None]:
        """Every event behind `after`, to the last one of the job, over as many connections as it
        takes. Fails with WaitTimedOut at the deadline."""
        attempts = Attempts(self._settings.retries)
        while True:
            try:
                async for event in self._connected_events(job, after, deadline):
                    yield event
                    after = event.sequence
                    attempts = Attempts(self._settings.retries)
                    if event.is_last:
                        return
                if (await self.show(job, False, False)).ended:
                    return  # there was nothing behind `after`
                raise ConnectionError("the stream ended before the job")
            except (AssayError, OSError) as error:
                if deadline is not None and time.monotonic() >= deadline:
                    raise WaitTimedOut(_id(job)) from None
                await self._pause(attempts, error, deadline)

    async def _connected_events(self, job: JobId, after: int,
                                deadline: Optional[float]) -> AsyncGenerator[Event, None]:
        headers = {**self._settings.headers, "Accept": "text/event-stream"}
        if after > 0:
            headers["Last-Event-ID"] = str(after)
        request = _http.Request("GET", f"{_path(job)}/events", headers=headers)
        reply = await self._send(request, deadline)
        parser = EventParser()
        try:
            async for piece in reply.pieces():
                for fields in parser.feed(piece):
                    yield _event(fields)
        finally:
            await reply.close()

    def _silence(self, deadline: Optional[float]) -> float:
        if deadline is None:
            return self._settings.silence
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return min(self._settings.silence, left)

    async def _answer(self, request: _http.Request) -> bytes:
        reply = await self._send(request)
        try:
            return await reply.body()
        finally:
            await reply.close()

    async def _send(self, request: _http.Request, deadline: Optional[float] = None) -> _http.Reply:
        """A reply with a status of success; any other is raised as its error."""
        reply = await _http.exchange(self._connector, self._endpoint, request,
                                     lambda: self._silence(deadline))
        if reply.status < 300:
            return reply
        try:
            raise error_of(reply.status, await reply.body(),
                           seconds_of(reply.headers.get("Retry-After")))
        finally:
            await reply.close()

    async def _pause(self, attempts: Attempts, error: Exception,
                     deadline: Optional[float] = None) -> None:
        """Lets time pass before another attempt, or raises if there is to be none."""
        pause = attempts.pause_after(error)
        if pause is not None:
            left = pause if deadline is None else max(0.0, deadline - time.monotonic())
            await self._connector.sleep(min(pause, left))
        elif isinstance(error, AssayError):
            raise error
        else:
            raise ConnectionFailed(
                f"{self._endpoint.authority} did not answer (attempts: {max(attempts.failed, 1)}): "
                f"{str(error) or type(error).__name__}") from error


def with_token(headers: Mapping[str, str], token: Optional[str]) -> Mapping[str, str]:
    """The headers, with the token where there is one and they have none of their own."""
    secret = os.environ.get("ASSAY_TOKEN", "") if token is None else token
    if not secret or any(name.lower() == "authorization" for name in headers):
        return headers
    return {**headers, "Authorization": f"Bearer {secret}"}


def filters_of(state: Union[str, List[str], None], verdict: Union[str, List[str], None],
               created_after: Optional[str], created_before: Optional[str],
               page_size: Optional[int]) -> Dict[str, Any]:
    return {"state": state, "verdict": verdict, "created_after": created_after,
            "created_before": created_before, "limit": page_size}


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise ServerError(200, "", f"the answer is no JSON but {body[:80]!r}") from None


def _event(fields: Mapping[str, str]) -> Event:
    try:
        data = json.loads(fields["data"])
        return Event(int(data["sequence"]), data["state"], data["at"], data.get("detail", ""))
    except (ValueError, KeyError, TypeError):
        raise ConnectionError(f"no event of a job but {dict(fields)!r}") from None


def _id(job: JobId) -> str:
    return job.id if isinstance(job, Job) else job


def _path(job: JobId) -> str:
    return f"/v1/jobs/{quote(_id(job), safe='')}"
