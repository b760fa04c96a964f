"""A worker that takes too much memory is replaced, and nobody else pays for it."""
from support import kernels


def large(elements):
    """A right kernel over so many numbers, for which the worker makes inputs and holds the answer."""
    return kernels.evaluate(io=kernels.scale_io(elements), num_trials=1)


def test_greedy_worker_is_replaced_and_its_device_stays(fresh_server):
    server = fresh_server("--worker-memory", "256mb", "--max-attempts", "4").start()
    assert server.run(large(1000))["verdict"] == "accepted"
    before = server.workers()
    job = server.run(large(80_000_000))
    assert job["state"] == "failed", job
    assert "more than 256 MiB of memory" in job["error"]["message"], job
    assert server.workers() and server.workers() != before
    device, = server.get("/v1/devices").json["devices"]
    assert device["state"] == "free", "it failed more often than a broken device may"
    assert server.run(large(1000))["verdict"] == "accepted"


def test_memory_of_runners_is_not_the_workers(fresh_server):
    """Their groups lie beside its own, so what they take does not count."""
    server = fresh_server("--worker-memory", "256mb", "--runner-memory", "1gb").start()
    greedy = """
#include <cstdlib>
#include <cstring>
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    void* taken = std::malloc(600 << 20);
    std::memset(taken, 1, 600 << 20);
    std::free(taken);
  }
  if (i < n) y[i] = a * x[i];
}"""
    job = server.run(kernels.evaluate(greedy, num_trials=1))
    assert job["verdict"] == "accepted", job
