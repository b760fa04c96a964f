"""torch.cuda, where everything happens at once on the processor."""

from __future__ import annotations

import collections
import contextlib
import os
import time
import uuid
from types import SimpleNamespace
from typing import Any, Callable

import torch

from assay_runner import cuda_graphs_on_cpu


class Stream:
    """Work is done when it is given, so there is nothing to wait for."""

    cuda_stream = 0
    priority = 0

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any) -> None:
        self.device = torch.device("cuda", 0)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *args: Any) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def wait_stream(self, stream: Any) -> None:
        pass

    def wait_event(self, event: Any) -> None:
        pass

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record()
        return event


class Event:
    def __init__(self, enable_timing: bool = False, *args: Any, **kwargs: Any) -> None:
        self._time: int | None = None

    def record(self, stream: Any = None) -> None:
        self._time = time.perf_counter_ns()

    def wait(self, stream: Any = None) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds."""
        if self._time is None or end._time is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end._time - self._time) / 1e6


class EventOfAnyDevice(Event):
    """torch.Event."""

    def __init__(self, device: Any = None, enable_timing: bool = False, **kwargs: Any) -> None:
        super().__init__(enable_timing)


class _Device:
    """torch.cuda.device: a context, and also what torch.cuda.device_of gives."""

    def __init__(self, device: Any = None) -> None:
        self.idx = 0

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: Any) -> None:
        pass


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _properties(device: Any = None) -> SimpleNamespace:
    """Of an A100, but for what this machine has instead."""
    return SimpleNamespace(
        name="Assay cpu device",
        major=8,
        minor=0,
        total_memory=_memory_bytes(),
        multi_processor_count=os.cpu_count() or 1,
        warp_size=32,
        max_threads_per_block=1024,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=49152,
        shared_memory_per_block_optin=166912,
        shared_memory_per_multiprocessor=167936,
        L2_cache_size=40 << 20,
        clock_rate=1410000,  # kHz
        memory_clock_rate=1215000,  # kHz
        memory_bus_width=5120,  # bits
        pci_bus_id=0,
        pci_device_id=0,
        pci_domain_id=0,
        uuid=uuid.UUID(int=0),
        is_integrated=False,
        is_multi_gpu_board=False,
        gcnArchName="",
    )


def _nothing(*args: Any, **kwargs: Any) -> None:
    pass


def _answer(value: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: value


@contextlib.contextmanager
def _stream_context(stream: Any) -> Any:
    yield stream


_NOTHING = """
_lazy_init _sleep check_error empty_cache init ipc_collect reset_accumulated_memory_stats
reset_max_memory_allocated reset_max_memory_cached reset_peak_memory_stats seed seed_all set_device
set_per_process_memory_fraction set_stream set_sync_debug_mode synchronize
""".split()
_ZERO = """
current_blas_handle current_device get_sync_debug_mode max_memory_allocated max_memory_cached max_memory_reserved memory_allocated
memory_cached memory_reserved
""".split()


def _reseed(seed: int) -> None:
    torch.default_generator.manual_seed(int(seed))


def _install_random() -> None:
    """One generator serves both devices."""
    cuda: Any = torch.cuda
    cuda.manual_seed = cuda.manual_seed_all = _reseed
    cuda.initial_seed = torch.initial_seed
    cuda.get_rng_state = lambda device="cuda": torch.get_rng_state()
    cuda.set_rng_state = lambda new_state, device="cuda": torch.set_rng_state(new_state)
    cuda.get_rng_state_all = lambda: [torch.get_rng_state()]
    cuda.set_rng_state_all = lambda new_states: torch.set_rng_state(list(new_states)[0])


def _runtime_library() -> SimpleNamespace:
    """torch.cuda.cudart()."""
    functions = "cudaProfilerStart cudaProfilerStop cudaHostRegister cudaHostUnregister".split()
    library = SimpleNamespace(**{name: _answer(0) for name in functions})
    library.cudaError = SimpleNamespace(success=0)
    library.cudaGetErrorString = _answer("no error")
    library.cudaMemGetInfo = torch.cuda.mem_get_info
    return library


def install(asked_by_kernel: Callable[[], bool]) -> None:
    cuda: Any = torch.cuda
    for name in _NOTHING:
        setattr(cuda, name, _nothing)
    for name in _ZERO:
        setattr(cuda, name, _answer(0))
    default = Stream()
    cuda.Stream, cuda.Event = Stream, Event
    cuda.stream = _stream_context
    cuda.current_stream = cuda.default_stream = _answer(default)
    cuda.device = cuda.device_of = _Device
    cuda.get_device_properties = _properties
    cuda.get_device_capability = _answer((8, 0))
    cuda.get_device_name = _answer(_properties().name)
    cuda.get_arch_list = _answer(["sm_80"])
    cuda.is_bf16_supported = _answer(True)
    cuda.is_initialized = _answer(True)
    cuda.mem_get_info = lambda device=None: (_memory_bytes() // 2, _memory_bytes())
    nvtx = SimpleNamespace(range_push=_nothing, range_pop=_nothing, mark=_nothing)
    nvtx.range_start, nvtx.range_end = _answer(0), _nothing
    nvtx.range = lambda *args, **kwargs: contextlib.nullcontext()
    cuda.nvtx = nvtx
    cuda.memory_stats = _answer(collections.defaultdict(int))
    cuda.memory_summary = cuda.list_gpu_processes = _answer("")
    cuda.can_device_access_peer = _answer(False)
    cuda.cudart = _runtime_library
    _install_random()
    cuda_graphs_on_cpu.install()
    generic: Any = torch
    generic.Stream, generic.Event = Stream, EventOfAnyDevice
    generic.accelerator.synchronize = _nothing

    def is_available() -> bool:
        return asked_by_kernel()

    def device_count() -> int:
        return int(asked_by_kernel())

    cuda.is_available, cuda.device_count = is_available, device_count
