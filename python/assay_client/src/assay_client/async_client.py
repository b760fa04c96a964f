"""The client for programs with an event loop."""
from __future__ import annotations

import ssl
from types import TracebackType
from typing import Any, AsyncGenerator, Dict, Iterable, List, Mapping, Optional, Type, Union

from . import batch as batches
from ._asyncio import AsyncioConnector
from ._http import Endpoint
from ._retry import Retries
from ._session import JobId, Session, Settings, filters_of, with_token
from .models import CompareRequest, EvaluationRequest, Kernel, Request
from .results import CompareResult, EvaluationResult, Event, Job


class AsyncAssayClient:
    """As `AssayClient`, method for method, with coroutines and asynchronous generators."""

    def __init__(self, base_url: str = "http://localhost:8000", timeout: int = 120, *,
                 retries: Optional[Retries] = None, headers: Optional[Mapping[str, str]] = None,
                 tls: Optional[ssl.SSLContext] = None, token: Optional[str] = None) -> None:
        self.base_url = base_url
        self.timeout = timeout
        settings = Settings(retries or Retries(), headers=with_token(headers or {}, token))
        self._session = Session(Endpoint.parse(base_url, tls), AsyncioConnector(), settings)

    async def submit(self, request: Request, *, idempotency_key: Optional[str] = None) -> Job:
        return await self._session.submit(request, idempotency_key)

    async def wait(self, job: JobId, timeout: Optional[float] = None, *,
                   samples: bool = False) -> Job:
        return await self._session.wait(job, timeout, samples)

    def stream(self, job: JobId, *, after: int = 0) -> AsyncGenerator[Event, None]:
        return self._session.events(job, after)

    async def compare(self, ref_kernel: Kernel, custom_kernel: Kernel,
                      num_trials: Union[int, str] = 100, timeout: Optional[int] = None, *,
                      atol: Optional[float] = None, rtol: Optional[float] = None,
                      idempotency_key: Optional[str] = None,
                      **options: Any) -> CompareResult:
        request = CompareRequest(ref_kernel, custom_kernel, num_trials, timeout or self.timeout,
                                 atol, rtol, **options)
        return await self._session.result(request, idempotency_key)

    async def evaluate(self, kernel: Kernel, num_trials: Union[int, str] = 100,
                       timeout: Optional[int] = None, *, idempotency_key: Optional[str] = None,
                       **options: Any) -> EvaluationResult:
        request = EvaluationRequest(kernel, num_trials, timeout or self.timeout, **options)
        return await self._session.result(request, idempotency_key)

    async def batch(self, requests: Iterable[Request], *, max_in_flight: int = 8,
                    progress: batches.Report = None) -> AsyncGenerator[batches.BatchItem, None]:
        counter = batches.Counter(requests, progress)
        items = batches.run_batch(self._run, requests, max_in_flight)
        try:
            async for item in items:
                yield counter.count(item)
        finally:
            await items.aclose()

    async def get_job(self, job: JobId, *, samples: bool = False, request: bool = False) -> Job:
        return await self._session.show(job, samples, request)

    def list_jobs(self, *, state: Union[str, List[str], None] = None,
                  verdict: Union[str, List[str], None] = None,
                  created_after: Optional[str] = None, created_before: Optional[str] = None,
                  page_size: Optional[int] = None) -> AsyncGenerator[Job, None]:
        return self._session.jobs(
            filters_of(state, verdict, created_after, created_before, page_size))

    async def cancel(self, job: JobId) -> str:
        return await self._session.cancel(job)

    async def devices(self) -> List[Dict[str, Any]]:
        found: List[Dict[str, Any]] = (await self._session.call("GET", "/v1/devices"))["devices"]
        return found

    async def health_check(self) -> Dict[str, Any]:
        return dict(await self._session.call("GET", "/health"))

    async def get_job_status(self, job_id: str) -> Dict[str, Any]:
        return await self._session.status(job_id)

    async def get_stats(self) -> Dict[str, Any]:
        return dict(await self._session.call("GET", "/stats"))

    async def cleanup_jobs(self) -> Dict[str, Any]:
        return dict(await self._session.call("POST", "/admin/cleanup-jobs", {}))

    async def close(self) -> None:
        """Nothing to do: no connection outlives its request."""

    async def __aenter__(self) -> AsyncAssayClient:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()

    async def _run(self, request: Request) -> Job:
        return await self._session.wait(await self._session.submit(request, None), None)
