"""The client for programs without an event loop."""
from __future__ import annotations

import contextlib
import ssl
from types import TracebackType
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Type, Union

from . import batch as batches
from ._blocking import BlockingConnector, iterate, run
from ._http import Endpoint
from ._retry import Retries
from ._session import JobId, Session, Settings, filters_of, with_token
from .async_client import AsyncAssayClient
from .models import CompareRequest, EvaluationRequest, Kernel, Request
from .results import CompareResult, EvaluationResult, Event, Job


class AssayClient:
    """Talks to one server; may be used from many threads at once.

    `timeout`: seconds that the work of `compare` and `evaluate` may take on the server; time in
    the queue does not count. `retries`: how long to keep trying when the server is away or busy.
    `headers`: sent with every request. `tls`: of an https address; the system's trust by default.
    `token`: what the server knows you by; the environment's ASSAY_TOKEN by default.
    """

    def __init__(self, base_url: str = "http://localhost:8000", timeout: int = 120, *,
                 retries: Optional[Retries] = None, headers: Optional[Mapping[str, str]] = None,
                 tls: Optional[ssl.SSLContext] = None, token: Optional[str] = None) -> None:
        self.base_url = base_url
        self.timeout = timeout
        settings = Settings(retries or Retries(), headers=with_token(headers or {}, token))
        self._session = Session(Endpoint.parse(base_url, tls), BlockingConnector(), settings)
        self._batches = AsyncAssayClient(base_url, timeout, retries=retries, headers=headers,
                                         tls=tls, token=token)

    def submit(self, request: Request, *, idempotency_key: Optional[str] = None) -> Job:
        """Stores a job and returns at once. A repeat with the same key and request gives the same
        job; without a key a new one is made for each call, and kept for its retries."""
        return run(self._session.submit(request, idempotency_key))

    def wait(self, job: JobId, timeout: Optional[float] = None, *, samples: bool = False) -> Job:
        """The job once it has ended, whatever its end. Raises WaitTimedOut after `timeout`
        seconds; the job goes on."""
        return run(self._session.wait(job, timeout, samples))

    def stream(self, job: JobId, *, after: int = 0) -> Iterator[Event]:
        """The states of a job as it reaches them, from behind event `after` to its end. A lost
        connection is resumed where it was; no event is missing or given twice."""
        return iterate(self._session.events(job, after))

    def compare(self, ref_kernel: Kernel, custom_kernel: Kernel, num_trials: Union[int, str] = 100,
                timeout: Optional[int] = None, *, atol: Optional[float] = None,
                rtol: Optional[float] = None, idempotency_key: Optional[str] = None,
                **options: Any) -> CompareResult:
        """Holds a kernel against its reference and waits for the answer. `options`: the further
        fields of CompareRequest. Raises JobTimedOut, JobFailed or JobCancelled where there is no
        answer."""
        request = CompareRequest(ref_kernel, custom_kernel, num_trials, timeout or self.timeout,
                                 atol, rtol, **options)
        return run(self._session.result(request, idempotency_key))

    def evaluate(self, kernel: Kernel, num_trials: Union[int, str] = 100,
                 timeout: Optional[int] = None, *, idempotency_key: Optional[str] = None,
                 **options: Any) -> EvaluationResult:
        """Runs and times one kernel and waits for the answer, as `compare` does."""
        request = EvaluationRequest(kernel, num_trials, timeout or self.timeout, **options)
        return run(self._session.result(request, idempotency_key))

    def batch(self, requests: Iterable[Request], *, max_in_flight: int = 8,
              progress: batches.Report = None) -> Iterator[batches.BatchItem]:
        """Runs every request, at most `max_in_flight` at a time, and yields each as it ends. A
        request that fails is an item with its error and ends nothing. `progress` is called before
        each item is given. `requests` is read as there is room, in a thread of the batch's own."""
        counter = batches.Counter(requests, progress)
        with contextlib.closing(batches.in_thread(
                lambda: self._batches.batch(requests, max_in_flight=max_in_flight))) as items:
            for item in items:
                yield counter.count(item)

    def get_job(self, job: JobId, *, samples: bool = False, request: bool = False) -> Job:
        """The job as it is now; with every timed sample, and with the request as it came."""
        return run(self._session.show(job, samples, request))

    def list_jobs(self, *, state: Union[str, List[str], None] = None,
                  verdict: Union[str, List[str], None] = None,
                  created_after: Optional[str] = None, created_before: Optional[str] = None,
                  page_size: Optional[int] = None) -> Iterator[Job]:
        """All jobs that fit, newest first, fetched by the page as they are asked for."""
        return iterate(self._session.jobs(
            filters_of(state, verdict, created_after, created_before, page_size)))

    def cancel(self, job: JobId) -> str:
        """The state of the job afterwards. Raises Conflict if it had already ended."""
        return run(self._session.cancel(job))

    def devices(self) -> List[Dict[str, Any]]:
        found: List[Dict[str, Any]] = run(self._session.call("GET", "/v1/devices"))["devices"]
        return found

    def health_check(self) -> Dict[str, Any]:
        return dict(run(self._session.call("GET", "/health")))

    def get_job_status(self, job_id: str) -> Dict[str, Any]:
        """The compatible view: `status`, and `result` once it has ended."""
        return run(self._session.status(job_id))

    def get_stats(self) -> Dict[str, Any]:
        return dict(run(self._session.call("GET", "/stats")))

    def cleanup_jobs(self) -> Dict[str, Any]:
        """Asks the server to forget jobs that ended a while ago."""
        return dict(run(self._session.call("POST", "/admin/cleanup-jobs", {})))

    def close(self) -> None:
        """Nothing to do: no connection outlives its request."""

    def __enter__(self) -> AssayClient:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


KernelEvalClient = AssayClient  # the name in the client this one is compatible with
