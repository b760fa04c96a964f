"""Many jobs at once: a bounded number on their way, results as they come."""
from __future__ import annotations

import asyncio
import queue
import threading
from dataclasses import dataclass
from typing import (AsyncGenerator, Awaitable, Callable, Generator, Iterable, Optional, Set, Sized,
                    Union)

from .models import Request
from .results import Job


@dataclass(frozen=True)
class BatchItem:
    """What became of one request: a job that has ended, or the error that prevented it."""

    index: int  # of the request in the batch
    request: Request
    job: Optional[Job] = None
    error: Optional[Exception] = None

    @property
    def accepted(self) -> bool:
        return self.job is not None and self.job.accepted


@dataclass(frozen=True)
class Progress:
    finished: int
    accepted: int
    errors: int
    total: Optional[int]  # None where the requests cannot be counted beforehand


Run = Callable[[Request], Awaitable[Job]]
Report = Optional[Callable[[Progress], None]]


class Counter:
    """Tells `report` of every item."""

    def __init__(self, requests: Iterable[Request], report: Report) -> None:
        self._report = report
        self._now = Progress(0, 0, 0, len(requests) if isinstance(requests, Sized) else None)

    def count(self, item: BatchItem) -> BatchItem:
        now = self._now
        self._now = Progress(now.finished + 1, now.accepted + item.accepted,
                             now.errors + (item.error is not None), now.total)
        if self._report is not None:
            self._report(self._now)
        return item


async def run_batch(run: Run, requests: Iterable[Request],
                    max_in_flight: int) -> AsyncGenerator[BatchItem, None]:
    """Takes requests as there is room for them, and yields items in the order they finish."""
    if max_in_flight < 1:
        raise ValueError("max_in_flight must be at least 1")

    async def one(index: int, request: Request) -> BatchItem:
        try:
            return BatchItem(index, request, job=await run(request))
        except Exception as error:
            return BatchItem(index, request, error=error)

    source = enumerate(requests)
    flying: Set[asyncio.Task[BatchItem]] = set()
    try:
        while True:
            while len(flying) < max_in_flight and (following := next(source, None)) is not None:
                flying.add(asyncio.ensure_future(one(*following)))
            if not flying:
                return
            landed, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
            for task in landed:
                yield task.result()
    finally:
        for task in flying:
            task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)


class _End:
    def __init__(self, error: Optional[BaseException]) -> None:
        self.error = error


def in_thread(
        make: Callable[[], AsyncGenerator[BatchItem, None]]) -> Generator[BatchItem, None, None]:
    """A batch for callers without an event loop: one thread has a loop for all of it. Leaving the
    iteration early ends the thread; jobs already submitted go on."""
    items: queue.SimpleQueue[Union[BatchItem, _End]] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()

    async def pump() -> None:
        generator = make()
        try:
            async for item in generator:
                items.put(item)
        finally:
            await generator.aclose()

    task = loop.create_task(pump())

    def work() -> None:
        error: Optional[BaseException] = None
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
        except Exception as failure:
            error = failure
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
            items.put(_End(error))

    thread = threading.Thread(target=work, name="assay-batch", daemon=True)
    thread.start()
    try:
        while isinstance(item := items.get(), BatchItem):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        if thread.is_alive():
            try:
                loop.call_soon_threadsafe(task.cancel)
            except RuntimeError:
                pass  # it has just ended by itself
        thread.join()
