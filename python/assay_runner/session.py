"""The protocol between the worker and one runner: one command, one reply, strictly in turn."""

from __future__ import annotations

import gc
import os
import random
import types
from contextlib import contextmanager, nullcontext
from typing import Any, Callable, ContextManager, Iterator, Mapping, Sequence

import numpy
import torch

from assay_runner import integrity, output, precise, trees, weights
from assay_runner.answers import Answers, AnswersOfReference
from assay_runner.call_graph import CallGraph
from assay_runner.cuda_device import CudaDevice
from assay_runner.extensions import Built, Extensions
from assay_runner.failures import BuildNeeded, describe, submitted_code
from assay_runner.forms import Chooser, Form
from assay_runner.frames import FrameSocket, FrameTooLong
from assay_runner.host_device import HostDevice
from assay_runner.source import load_source
from assay_runner.triton_cache import TritonCache, default_directory
from assay_runner.verdicts import Refusal, crashed, tampered, unsupported

Message = dict[str, Any]
DONE: Message = {"reply": "done"}
_MUCH = 256 << 20  # bytes


def seed_everything(seed: int) -> None:
    random.seed(seed)
    numpy.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def _provided(names: Mapping[str, Any], name: str) -> list[Any]:
    """What a function of the source gives, as a list of arguments; nothing where it has none."""
    provider = names.get(name)
    with submitted_code():
        value = [] if provider is None else provider()
        if value is None:
            raise TypeError(f"{name}() returned None: end it with `return [...]`, a list of arguments")
    if isinstance(value, (list, tuple)):
        return list(value)
    return [value]


def make_device(name: str, processes: int) -> Any:
    if name == "cpu":
        # Threads count against the limit of processes.
        cores = len(os.sched_getaffinity(0))
        return HostDevice(min(cores, max(1, processes // 2)))
    return CudaDevice()


class Session:
    def __init__(self, channel: FrameSocket, device: str, processes: int) -> None:
        self._channel = channel
        self._device = make_device(device, processes)
        self._names: dict[str, Any] = {}
        self._form: Form | None = None
        self._seed = 0
        self._arguments: list[Any] = []
        self._restores: list[tuple[int, int, int]] = []
        self._arena: Any = None
        self._outputs: Any = None
        self._produced: dict[str, list[torch.Tensor]] = {}
        self._inputs_as_written = False
        self._last: Message | None = None  # the outputs of the last timed run, as they were then
        self._sum: int | None = None  # of those outputs
        self._compiled = TritonCache(default_directory())
        self._extensions: Extensions | None = None
        self._answers: Answers = Answers()
        self._graph: CallGraph | None = None  # what timed calls launch, where that was asked for
        self._reference = ""  # the source, where it is a reference's
        self._sanitized = False
        self._varied: dict[str, list[str]] = {"norms": [], "made": [], "others": []}  # weights of a reference
        self._replaced = integrity.watch()
        self._watched: Callable[[], ContextManager[None]] = nullcontext  # around runs
        self._commands: dict[str, Callable[[Message, list[int]], Message]] = {
            "load": self._load,
            "produce": self._produce,
            "collect": self._collect,
            "give": self._give,
            "run": self._run,
            "run_precisely": self._run_precisely,
            "run_again": self._run_again,
            "warm": self._warm,
            "time": self._time,
            "arm": self._arm,
            "round": self._round,
            "host_time": self._host_time,
            "trace": self._trace,
            "profile": self._profile,
            "outputs": self._show_outputs,
            "discover": self._discover,
            "pack": self._pack,
        }
        self._own = self._watched_objects()
        self._wire = integrity.Objects(channel, *vars(channel))
        output.redirect()

    def _watched_objects(self) -> integrity.Objects:
        return integrity.Objects(self, "_device", "_answers", "_channel", "_commands", "_replaced")

    def serve(self) -> int:
        """Until the worker closes the channel."""
        while True:
            try:
                message, descriptors = self._channel.receive()
            except EOFError:
                return 0
            reply = self._answer(message, descriptors)
            output.flush()
            try:
                self._channel.send(reply)
            except FrameTooLong as error:
                self._channel.send(unsupported(f"a value too large to describe: {error}").reply())

    def _answer(self, message: Message, descriptors: list[int]) -> Message:
        reply = self._attempt(message, descriptors)
        # Not behind warm calls: it would empty the caches again, and follows the timed call anyway.
        patched = None if message["op"] == "warm" else self._patched()
        if patched is not None:
            return patched.reply()
        if self._extensions is not None and self._extensions.missing:
            # Whatever came of it without them.
            return {"reply": "build_needed", "calls": self._extensions.missing}
        return reply

    def _patched(self) -> Refusal | None:
        replaced = self._replaced() or self._own.replaced() or self._wire.replaced()
        if replaced is None:
            return None
        return tampered("patched", f"the kernel replaced {replaced}, which reads its answers or takes its time")

    def _must_be_intact(self) -> None:
        """Between a call and the look at its answer: what is put in place for that look alone would be gone
        when the command ends."""
        patched = self._patched()
        if patched is not None:
            raise patched

    def _attempt(self, message: Message, descriptors: list[int]) -> Message:
        try:
            return self._commands[message["op"]](message, descriptors)
        except Refusal as refusal:
            return refusal.reply()
        except BaseException as error:  # a mistake of ours, or a kernel that changed us
            return crashed(f"the runner failed: {error!r}", describe(error)).reply()

    def _load(self, message: Message, descriptors: list[int]) -> Message:
        request = message["python"]
        self._seed = request["seed"]
        self._sanitized = bool(request.get("sanitize"))
        if request.get("role") == "reference":
            self._answers = AnswersOfReference()
            self._own = self._watched_objects()
            self._reference = request["source"]
        passed: dict[str, list[int]] = {"extensions": [], "support": [], "compiled": []}
        for name, descriptor in zip(request.get("descriptors", []), descriptors):
            passed[name].append(descriptor)
        built = Built(
            passed["extensions"],
            next(iter(passed["support"]), None),
            request.get("sanitize", []),
            request.get("schedule_seed", 0),
        )
        built.install()
        self._extensions = built
        self._watched = built.watched
        for descriptor in passed["compiled"]:
            self._compiled.unpack(descriptor)
        seed_everything(self._seed)
        module = load_source(request["source"], request.get("constants"), must_have=bool(self._reference))
        self._names = module.__dict__
        self._form = Chooser(module, request, self._device.place).choose()
        return {
            "reply": "loaded",
            "has_inputs": callable(self._names.get("get_inputs")),
            "has_init_inputs": callable(self._names.get("get_init_inputs")),
            "takes_state": self._form.takes_state,
        }

    def _discover(self, message: Message, descriptors: list[int]) -> Message:
        """Which extensions the source wants built. What else may be wrong with it, its load says."""
        extensions = Extensions()
        extensions.install()
        try:
            module = load_source(message["source"])
            if not extensions.missing:
                self._try_out(module, message)
        except (Refusal, BuildNeeded):
            pass
        return {"reply": "discovered", "calls": extensions.missing}

    def _try_out(self, module: types.ModuleType, request: Message) -> None:
        """Makes and calls what the source offers, as far as it says by itself with what: some ask for
        their extensions only then."""
        form = Chooser(module, request, self._device.place).choose()
        form.construct(_provided(module.__dict__, "get_init_inputs"))
        if callable(module.__dict__.get("get_inputs")):
            with submitted_code():
                form.call(_provided(module.__dict__, "get_inputs"))

    def _produce(self, message: Message, descriptors: list[int]) -> Message:
        what = message["what"]
        value: Any
        if what == "state":
            self._loaded().mark()
            return self._keep(what, self._state()) | {"varied": self._varied}
        elif what == "kept":
            return self._keep(what, self._loaded().kept())
        elif what == "inputs":
            return self._make_inputs(message["seed"])
        else:
            seed_everything(message["seed"])
            value = _provided(self._names, f"get_{what}")
        return self._keep(what, value)

    def _make_inputs(self, seed: int) -> Message:
        """On the device where the source allows it: what fails there may work as written."""
        there = None if self._inputs_as_written else self._device.making_inputs()
        if there is not None:
            seed_everything(seed)
            try:
                with there:
                    value = _provided(self._names, "get_inputs")
                return self._keep("inputs", value) | {"on_device": True}
            except Refusal:
                self._inputs_as_written = True
        seed_everything(seed)
        return self._keep("inputs", _provided(self._names, "get_inputs"))

    def _state(self) -> dict[str, torch.Tensor]:
        model = self._loaded().state_of
        return {} if model is None else dict(model.state_dict())

    def _keep(self, what: str, value: Any) -> Message:
        if what == "outputs":
            self._answers.must_have_elements(value)
        tree, tensors = trees.encode(value, keep_order=what == "inputs")
        if what == "outputs":
            trees.mark_inputs(tree, tensors, self._arguments)
            tensors = self._device.freeze(tensors)
        self._produced[what] = tensors
        return {"reply": "produced", "value": tree}

    def _collect(self, message: Message, descriptors: list[int]) -> Message:
        what = message["what"]
        arena = self._device.open_arena(descriptors[0], message["arena_size"], message["memory"])
        self._copy_into(arena, what, message["offsets"])
        self._device.synchronize()
        arena.close()
        if what in ("inputs", "precise"):  # the rest may be asked for again
            self._produced.pop(what)
            if message["arena_size"] >= _MUCH and torch.cuda.is_initialized():
                torch.cuda.empty_cache()  # others need it
        return DONE

    def _copy_into(self, arena: Any, what: str, offsets: list[int]) -> None:
        for tensor, offset in zip(self._produced[what], offsets, strict=True):
            arena.tensor(tensor.dtype, list(tensor.shape), offset).copy_(tensor)

    def _give(self, message: Message, descriptors: list[int]) -> Message:
        arena = self._device.open_arena(descriptors[0], message["arena_size"], message["memory"])
        value = trees.decode(message["value"], self._apart(arena.tensor))
        what = message["what"]
        if what == "init_inputs":
            self._construct(value, message.get("vary_weights", "none"))
            return DONE
        if what == "state":
            unmatched, late = self._copy_state(value)
            del value
            self._device.synchronize()
            arena.close()
            return {"reply": "stated", "unmatched": unmatched, "late": late}
        self._arguments = list(value)
        self._arena = arena
        self._restores = [(start, to, size) for start, to, size in message.get("restores", [])]
        return DONE

    def _construct(self, arguments: Sequence[Any], vary: str) -> None:
        norms = weights.varied_norms(self._seed) if vary != "none" else nullcontext()
        others = weights.varied_parameters(self._seed) if vary == "all" else nullcontext([])
        seed_everything(self._seed)
        with self._device.making_models(), norms, others as made:
            self._loaded().construct(arguments)
        model = self._loaded().state_of
        self._varied = {"norms": [], "made": [], "others": []}
        if not self._reference or model is None:
            return
        if vary != "none":
            self._varied["norms"] = weights.norms_of(model, self._seed)
        if vary == "all":
            self._varied["made"] = weights.still_made(model, made)
            self._varied["others"] = weights.vary_constants(model, self._seed)

    def _apart(self, tensor: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
        """Under a sanitizer of the GPU each tensor is an allocation of its own: such tools know no arenas.
        They come by way of the host, since what another process wrote counts as never written."""
        if not self._sanitized:
            return tensor
        return lambda *arguments, **options: self._device.apart(tensor(*arguments, **options))

    def _copy_state(self, given: dict[str, torch.Tensor]) -> tuple[list[str], list[str]]:
        """The names that found no match, and those of small tensors that held other numbers."""
        own = self._state()
        unmatched = []
        late = []
        for name, tensor in given.items():
            if name not in own:
                unmatched.append(f"{name}: the model has no such parameter or buffer")
            elif own[name].shape != tensor.shape:
                unmatched.append(f"{name}: {list(own[name].shape)} instead of {list(tensor.shape)}")
            else:
                with torch.no_grad(), submitted_code():
                    if tensor.numel() <= weights.MOST_MADE and not torch.equal(own[name].to(tensor), tensor):
                        late.append(name)
                    own[name].copy_(tensor)
        self._loaded().mark()
        return unmatched, late

    def _loaded(self) -> Form:
        if self._form is None:
            raise ValueError("nothing is loaded")
        return self._form

    def _call(self) -> None:
        self._last = None
        self._outputs = self._answers.plain(self._loaded().call(self._arguments))

    def _run(self, message: Message, descriptors: list[int]) -> Message:
        self._outputs = None
        if self._reference:
            self._loaded().remember()
        seed_everything(self._seed)
        with self._watched(), submitted_code():
            self._call()
            self._device.synchronize()
        self._must_be_intact()
        reply = self._keep("outputs", self._outputs)
        self._mark_shared(reply)
        if self._reference and precise.allows_tf32(self._reference, isinstance(self._device, CudaDevice)):
            reply["tf32"] = True
        return reply

    def _run_precisely(self, message: Message, descriptors: list[int]) -> Message:
        """The arguments' own memory stays as it is: what is called has copies."""
        seed_everything(self._seed)
        with submitted_code():
            precision, value = precise.run(self._loaded(), self._arguments, message.get("of_last_run", False))
            self._device.synchronize()
        return self._keep("precise", [precision, self._answers.plain(value)])

    def _run_again(self, message: Message, descriptors: list[int]) -> Message:
        seed_everything(self._seed)
        with submitted_code():
            value = precise.run_again(self._loaded(), self._arguments, message.get("of_last_run", False))
            self._device.synchronize()
        return self._keep("precise", self._answers.plain(value))

    def _warm(self, message: Message, descriptors: list[int]) -> Message:
        """Calls ahead of a timed one, whose inputs are not there yet. Nothing else is done, since it would empty the
        caches. What a call leaves behind must not be called when the inputs are there: the outputs go now, and the
        collector waits for the end of the timed call."""
        try:
            with self._timed(collect=False):
                for _ in range(message["calls"]):
                    self._before_sample()
                    self._call()
        finally:
            self._outputs = None
            gc.disable()
        return DONE

    def _time(self, message: Message, descriptors: list[int]) -> Message:
        with self._timed():
            taken = self._device.time(self._call, self._before_sample, message["samples"], self._look)
        reply = {"reply": "samples", "ns": taken}
        return reply if self._sum is None else reply | {"fingerprint": self._sum}

    def _look(self) -> None:
        """Before the collector may call anything: what is written later is too late. The worker fetches the answer
        some time, and sees by its sum that it still is the same."""
        self._must_be_intact()
        self._last = self._keep("outputs", self._outputs)
        self._sum = trees.fingerprint(self._produced["outputs"]) if self._device.name == "cpu" else None

    @contextmanager
    def _timed(self, collect: bool = True) -> Iterator[None]:
        """Around timed calls. The collector calls what kernels left behind, so it comes after them: before, the next
        inputs are there already."""
        gc.disable()
        try:
            with self._watched(), submitted_code():
                yield
        finally:
            if collect:
                gc.collect()
                gc.freeze()  # what lives now is not walked again after the next timed runs
            gc.enable()

    def _arm(self, message: Message, descriptors: list[int]) -> Message:
        self._device.arm(message, descriptors, self._arena)
        self._graph = None
        if message["graph"]:
            with self._watched(), submitted_code():
                self._graph = CallGraph(self._gated_call, self._floats(), lambda: self._outputs)
        gc.collect()  # not before every round, which takes less time than this
        gc.freeze()
        return DONE

    def _round(self, message: Message, descriptors: list[int]) -> Message:
        with self._timed(collect=False):
            reply: Message = self._device.gate.round(message, self._gated_call)
        return reply

    def _host_time(self, message: Message, descriptors: list[int]) -> Message:
        with self._timed(collect=False):
            taken = self._device.gate.host_time(message["calls"], self._gated_call)
        return {"reply": "samples", "ns": taken}

    def _trace(self, message: Message, descriptors: list[int]) -> Message:
        with self._timed(collect=False):
            reply: Message = self._device.gate.trace(message, self._gated_call)
        return reply

    def _profile(self, message: Message, descriptors: list[int]) -> Message:
        """One call inside a range that a profiler around this process looks for, of all threads."""
        self._before_sample()
        self._device.synchronize()
        with self._watched(), submitted_code():
            opened = self._device.open_range(message["range"])
            try:
                self._call()
                self._device.synchronize()
            finally:
                self._device.close_range(opened)
        return DONE

    def _gated_call(self) -> Sequence[torch.Tensor] | None:
        """One call, and the tensors it answered with: the gate restores the inputs itself."""
        self._reseed()
        if self._graph is not None:
            self._last, self._outputs = None, self._graph.returned
            return self._graph.launch()
        self._outputs = None  # freed here: what comes next may take its memory
        self._call()
        if self._outputs is None:
            return None
        if type(self._outputs) is torch.Tensor and self._outputs.dtype not in trees.COMPLEX:
            return [self._outputs]
        return trees.encode(self._outputs)[1]

    def _floats(self) -> list[torch.Tensor]:
        """Of the arguments, those that can be scaled."""
        scaled = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
        return [value for value in trees.encode(list(self._arguments))[1] if value.dtype in scaled]

    def _reseed(self) -> None:
        for generator in (torch.default_generator, *torch.cuda.default_generators):
            generator.manual_seed(self._seed)  # torch.manual_seed takes 100 us to find them

    def _before_sample(self) -> None:
        self._outputs = None  # freed here, not in the time of the next call
        self._reseed()
        for start, to, size in self._restores:
            self._arena.move(start, to, size)

    def _pack(self, message: Message, descriptors: list[int]) -> Message:
        return {"reply": "packed", "bytes": self._compiled.pack(descriptors[0])}

    def _show_outputs(self, message: Message, descriptors: list[int]) -> Message:
        reply = self._last or self._keep("outputs", self._outputs)
        self._mark_shared(reply)
        return reply

    def _mark_shared(self, reply: Message) -> None:
        """Not while times are taken: it would look like work that is hidden beside them."""
        if self._device.name != "cpu":
            return
        trees.mark_shared(reply["value"], trees.encode(self._outputs)[1], self._arguments)
