// Order of work in and between streams, events, and host functions.
#include <atomic>

#include "../conformance.hpp"

using conformance::Buffer;

__global__ void append_digit(long long* value, int digit) {
  *value = *value * 10 + digit;
}

__global__ void slow_append(long long* value, int digit) {
  const long long start = clock64();
  while (clock64() - start < 20000) {
  }
  *value = *value * 10 + digit;
}

CASE(work_in_one_stream_keeps_its_order) {
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreate(&stream));
  Buffer<long long> value(1, 0ll);
  for (int digit = 1; digit <= 9; ++digit) {
    if (digit % 2 == 0) {
      slow_append<<<1, 1, 0, stream>>>(value.ptr(), digit);
    } else {
      append_digit<<<1, 1, 0, stream>>>(value.ptr(), digit);
    }
  }
  long long got = 0;
  EXPECT_OK(cudaMemcpyAsync(&got, value.ptr(), sizeof got, cudaMemcpyDeviceToHost, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(got, 123456789ll);
  EXPECT_OK(cudaStreamDestroy(stream));
}

CASE(streams_work_on_their_own_data) {
  constexpr int kStreams = 4;
  cudaStream_t streams[kStreams];
  Buffer<long long> values(kStreams, 0ll);
  for (int s = 0; s < kStreams; ++s) {
    EXPECT_OK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
  }
  for (int digit = 1; digit <= 5; ++digit) {
    for (int s = 0; s < kStreams; ++s) {
      slow_append<<<1, 1, 0, streams[s]>>>(values.ptr() + s, (digit + s) % 10);
    }
  }
  for (cudaStream_t stream : streams) {
    EXPECT_OK(cudaStreamSynchronize(stream));
    EXPECT_OK(cudaStreamQuery(stream));
    EXPECT_OK(cudaStreamDestroy(stream));
  }
  EXPECT_EACH(values, [](std::size_t s) {
    long long want = 0;
    for (int digit = 1; digit <= 5; ++digit) want = want * 10 + (digit + static_cast<int>(s)) % 10;
    return want;
  });
}

CASE(a_stream_waits_for_an_event_of_another) {
  cudaStream_t first, second;
  cudaEvent_t done;
  EXPECT_OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  EXPECT_OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  EXPECT_OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  Buffer<long long> value(1, 0ll);
  slow_append<<<1, 1, 0, first>>>(value.ptr(), 4);
  EXPECT_OK(cudaEventRecord(done, first));
  EXPECT_OK(cudaStreamWaitEvent(second, done, 0));
  append_digit<<<1, 1, 0, second>>>(value.ptr(), 2);
  EXPECT_OK(cudaStreamSynchronize(second));
  EXPECT_EACH(value, [](std::size_t) { return 42ll; });
  EXPECT_OK(cudaEventDestroy(done));
  EXPECT_OK(cudaStreamDestroy(first));
  EXPECT_OK(cudaStreamDestroy(second));
}

// The default stream waits for blocking streams, and they wait for it.
CASE(default_stream_orders_itself_with_the_others) {
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreate(&stream));
  Buffer<long long> value(1, 0ll);
  slow_append<<<1, 1, 0, stream>>>(value.ptr(), 1);
  append_digit<<<1, 1>>>(value.ptr(), 2);
  append_digit<<<1, 1, 0, stream>>>(value.ptr(), 3);
  append_digit<<<1, 1, 0, nullptr>>>(value.ptr(), 4);
  append_digit<<<1, 1, 0, cudaStreamLegacy>>>(value.ptr(), 5);
  EXPECT_EACH(value, [](std::size_t) { return 12345ll; });
  EXPECT_OK(cudaStreamDestroy(stream));
}

CASE(events_measure_time) {
  cudaEvent_t start, stop;
  EXPECT_OK(cudaEventCreate(&start));
  EXPECT_OK(cudaEventCreate(&stop));
  Buffer<long long> value(1, 0ll);
  EXPECT_OK(cudaEventRecord(start));
  slow_append<<<1, 1>>>(value.ptr(), 7);
  EXPECT_OK(cudaEventRecord(stop, 0));
  EXPECT_OK(cudaEventSynchronize(stop));
  EXPECT_OK(cudaEventQuery(stop));
  float milliseconds = -1;
  EXPECT_OK(cudaEventElapsedTime(&milliseconds, start, stop));
  EXPECT_TRUE(milliseconds > 0.0f && milliseconds < 10000.0f);
  EXPECT_OK(cudaEventElapsedTime(&milliseconds, start, start));
  EXPECT_EQ(milliseconds, 0.0f);
  EXPECT_EACH(value, [](std::size_t) { return 7ll; });
  EXPECT_OK(cudaEventDestroy(start));
  EXPECT_OK(cudaEventDestroy(stop));
}

struct HostWork {
  long long* pinned;
  std::atomic<long long> seen{-1};
};

static void CUDART_CB remember(void* argument) {
  auto* work = static_cast<HostWork*>(argument);
  work->seen = *work->pinned;
}

CASE(host_function_runs_in_its_turn) {
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreate(&stream));
  HostWork work;
  EXPECT_OK(cudaMallocHost(&work.pinned, sizeof(long long)));
  *work.pinned = 0;
  Buffer<long long> value(1, 0ll);
  slow_append<<<1, 1, 0, stream>>>(value.ptr(), 8);
  EXPECT_OK(
      cudaMemcpyAsync(work.pinned, value.ptr(), sizeof(long long), cudaMemcpyDeviceToHost, stream));
  EXPECT_OK(cudaLaunchHostFunc(stream, remember, &work));
  append_digit<<<1, 1, 0, stream>>>(value.ptr(), 9);
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(work.seen.load(), 8ll);
  EXPECT_EACH(value, [](std::size_t) { return 89ll; });
  EXPECT_OK(cudaFreeHost(work.pinned));
  EXPECT_OK(cudaStreamDestroy(stream));
}

CASE(pipeline_of_copies_and_kernels) {
  constexpr int kChunks = 6;
  cudaStream_t streams[2];
  long long* pinned = nullptr;
  EXPECT_OK(cudaMallocHost(&pinned, kChunks * sizeof(long long)));
  for (cudaStream_t& stream : streams) EXPECT_OK(cudaStreamCreate(&stream));
  Buffer<long long> values(kChunks);
  for (int i = 0; i < kChunks; ++i) {
    pinned[i] = i + 1;
    cudaStream_t stream = streams[i % 2];
    EXPECT_OK(cudaMemcpyAsync(values.ptr() + i, pinned + i, sizeof(long long),
                              cudaMemcpyHostToDevice, stream));
    append_digit<<<1, 1, 0, stream>>>(values.ptr() + i, 5);
    EXPECT_OK(cudaMemcpyAsync(pinned + i, values.ptr() + i, sizeof(long long),
                              cudaMemcpyDeviceToHost, stream));
  }
  EXPECT_OK(cudaDeviceSynchronize());
  const std::vector<long long> got(pinned, pinned + kChunks);
  EXPECT_EACH(got, [](std::size_t i) { return static_cast<long long>(10 * (i + 1) + 5); });
  for (cudaStream_t stream : streams) EXPECT_OK(cudaStreamDestroy(stream));
  EXPECT_OK(cudaFreeHost(pinned));
}

CASE(stream_priorities) {
  int least = 0, greatest = 0, given = 0;
  EXPECT_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_TRUE(greatest <= least);
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  EXPECT_OK(cudaStreamGetPriority(stream, &given));
  EXPECT_EQ(given, greatest);
  Buffer<long long> value(1, 0ll);
  append_digit<<<1, 1, 0, stream>>>(value.ptr(), 3);
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EACH(value, [](std::size_t) { return 3ll; });
  EXPECT_OK(cudaStreamDestroy(stream));
}
