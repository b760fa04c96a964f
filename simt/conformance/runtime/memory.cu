// Allocating, copying and setting memory from the host.
#include "../conformance.hpp"

using conformance::Buffer;

__global__ void add_one(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

CASE(copies_in_every_direction) {
  constexpr int kCount = 500;
  constexpr std::size_t kBytes = kCount * sizeof(int);
  const std::vector<int> values = conformance::sequence<int>(kCount);
  std::vector<int> middle(kCount, 0), back(kCount, 0);
  int *first = nullptr, *second = nullptr;
  EXPECT_OK(cudaMalloc(&first, kBytes));
  EXPECT_OK(cudaMalloc(reinterpret_cast<void**>(&second), kBytes));
  EXPECT_OK(cudaMemcpy(middle.data(), values.data(), kBytes, cudaMemcpyHostToHost));
  EXPECT_OK(cudaMemcpy(first, middle.data(), kBytes, cudaMemcpyHostToDevice));
  add_one<<<4, 128>>>(first, kCount);
  EXPECT_OK(cudaMemcpy(second, first, kBytes, cudaMemcpyDeviceToDevice));
  add_one<<<4, 128>>>(second, kCount);
  EXPECT_OK(cudaMemcpy(back.data(), second, kBytes, cudaMemcpyDeviceToHost));
  EXPECT_EACH(back, [](std::size_t i) { return static_cast<int>(i) + 2; });
  EXPECT_OK(cudaMemcpy(second, values.data(), kBytes, cudaMemcpyDefault));
  EXPECT_OK(cudaMemcpy(back.data(), second, kBytes, cudaMemcpyDefault));
  EXPECT_EACH(back, [](std::size_t i) { return static_cast<int>(i); });
  EXPECT_OK(cudaFree(first));
  EXPECT_OK(cudaFree(second));
  EXPECT_OK(cudaFree(nullptr));
}

CASE(copies_of_parts) {
  Buffer<int> data(100, 0);
  const std::vector<int> values = conformance::sequence<int>(20);
  EXPECT_OK(cudaMemcpy(data.ptr() + 30, values.data(), 20 * sizeof(int), cudaMemcpyHostToDevice));
  add_one<<<1, 100>>>(data.ptr(), 100);
  EXPECT_EACH(data,
              [](std::size_t i) { return i >= 30 && i < 50 ? static_cast<int>(i) - 30 + 1 : 1; });
}

CASE(memset_fills_bytes) {
  Buffer<unsigned char> bytes(300);
  EXPECT_OK(cudaMemset(bytes.ptr(), 0x11, 300));
  EXPECT_OK(cudaMemset(bytes.ptr() + 100, 0xfe, 50));
  EXPECT_OK(cudaMemsetAsync(bytes.ptr() + 200, 0, 10));
  EXPECT_EACH(bytes, [](std::size_t i) -> unsigned char {
    if (i >= 100 && i < 150) return 0xfe;
    return i >= 200 && i < 210 ? 0 : 0x11;
  });
  Buffer<int> words(16);
  EXPECT_OK(cudaMemset(words.ptr(), -1, words.bytes()));
  add_one<<<1, 16>>>(words.ptr(), 16);
  EXPECT_EACH(words, [](std::size_t) { return 0; });
}

__global__ void fill_pitched(float* data, std::size_t pitch, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x >= width || y >= height) return;
  auto* const row = reinterpret_cast<float*>(reinterpret_cast<char*>(data) + y * pitch);
  row[x] = 100.0f * y + x;
}

CASE(pitched_memory) {
  constexpr int kWidth = 13, kHeight = 9;
  float* data = nullptr;
  std::size_t pitch = 0;
  EXPECT_OK(cudaMallocPitch(&data, &pitch, kWidth * sizeof(float), kHeight));
  EXPECT_TRUE(pitch >= kWidth * sizeof(float));
  EXPECT_OK(cudaMemset2D(data, pitch, 0, kWidth * sizeof(float), kHeight));
  fill_pitched<<<1, dim3(16, 16)>>>(data, pitch, kWidth, kHeight);
  std::vector<float> dense(kWidth * kHeight);
  EXPECT_OK(cudaMemcpy2D(dense.data(), kWidth * sizeof(float), data, pitch, kWidth * sizeof(float),
                         kHeight, cudaMemcpyDeviceToHost));
  EXPECT_EACH(dense, [](std::size_t i) {
    return 100.0f * static_cast<float>(i / kWidth) + static_cast<float>(i % kWidth);
  });
  EXPECT_OK(cudaFree(data));
}

CASE(managed_memory_is_seen_by_both_sides) {
  int* data = nullptr;
  EXPECT_OK(cudaMallocManaged(&data, 200 * sizeof(int)));
  for (int i = 0; i < 200; ++i) data[i] = i;
  add_one<<<2, 100>>>(data, 200);
  EXPECT_OK(cudaDeviceSynchronize());
  std::vector<int> seen(data, data + 200);
  EXPECT_EACH(seen, [](std::size_t i) { return static_cast<int>(i) + 1; });
  data[7] = 1000;
  add_one<<<2, 100>>>(data, 200);
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(data[7], 1001);
  EXPECT_EQ(data[199], 201);
  EXPECT_OK(cudaFree(data));
}

CASE(pinned_host_memory) {
  int *pinned = nullptr, *mapped = nullptr, *alias = nullptr;
  EXPECT_OK(cudaMallocHost(&pinned, 64 * sizeof(int)));
  EXPECT_OK(cudaHostAlloc(&mapped, 64 * sizeof(int), cudaHostAllocMapped));
  EXPECT_OK(cudaHostGetDevicePointer(&alias, mapped, 0));
  for (int i = 0; i < 64; ++i) {
    pinned[i] = 5 * i;
    mapped[i] = 7 * i;
  }
  Buffer<int> data(64);
  EXPECT_OK(cudaMemcpyAsync(data.ptr(), pinned, 64 * sizeof(int), cudaMemcpyHostToDevice));
  add_one<<<1, 64>>>(data.ptr(), 64);
  add_one<<<1, 64>>>(alias, 64);  // the kernel writes the host's memory
  EXPECT_OK(cudaMemcpyAsync(pinned, data.ptr(), 64 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_OK(cudaDeviceSynchronize());
  const std::vector<int> copied(pinned, pinned + 64), written(mapped, mapped + 64);
  EXPECT_EACH(copied, [](std::size_t i) { return 5 * static_cast<int>(i) + 1; });
  EXPECT_EACH(written, [](std::size_t i) { return 7 * static_cast<int>(i) + 1; });
  EXPECT_OK(cudaFreeHost(pinned));
  EXPECT_OK(cudaFreeHost(mapped));
}

CASE(registered_host_memory) {
  std::vector<int> values = conformance::sequence<int>(1024);
  EXPECT_OK(cudaHostRegister(values.data(), 1024 * sizeof(int), cudaHostRegisterDefault));
  Buffer<int> data(1024);
  EXPECT_OK(cudaMemcpyAsync(data.ptr(), values.data(), data.bytes(), cudaMemcpyHostToDevice));
  add_one<<<4, 256>>>(data.ptr(), 1024);
  EXPECT_EACH(data, [](std::size_t i) { return static_cast<int>(i) + 1; });
  EXPECT_OK(cudaHostUnregister(values.data()));
}

CASE(stream_ordered_allocation) {
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreate(&stream));
  int* data = nullptr;
  std::vector<int> values(128, 0);
  EXPECT_OK(cudaMallocAsync(&data, 128 * sizeof(int), stream));
  EXPECT_OK(cudaMemsetAsync(data, 0, 128 * sizeof(int), stream));
  add_one<<<1, 128, 0, stream>>>(data, 128);
  EXPECT_OK(
      cudaMemcpyAsync(values.data(), data, 128 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  EXPECT_OK(cudaFreeAsync(data, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EACH(values, [](std::size_t) { return 1; });
  EXPECT_OK(cudaStreamDestroy(stream));
}

CASE(pointer_attributes_and_alignment) {
  Buffer<int> device(10, 0);
  int *managed = nullptr, *pinned = nullptr, plain = 0;
  EXPECT_OK(cudaMallocManaged(&managed, 64));
  EXPECT_OK(cudaMallocHost(&pinned, 64));
  cudaPointerAttributes attributes{};
  EXPECT_OK(cudaPointerGetAttributes(&attributes, device.ptr()));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_OK(cudaPointerGetAttributes(&attributes, managed));
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT_OK(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_OK(cudaPointerGetAttributes(&attributes, &plain));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device.ptr()) % 256, 0u);
  add_one<<<1, 16>>>(device.ptr(), 10);
  EXPECT_EACH(device, [](std::size_t) { return 1; });
  EXPECT_OK(cudaFree(managed));
  EXPECT_OK(cudaFreeHost(pinned));
}

CASE(memory_info_and_impossible_allocations) {
  std::size_t free_bytes = 0, total_bytes = 0;
  EXPECT_OK(cudaMemGetInfo(&free_bytes, &total_bytes));
  EXPECT_TRUE(free_bytes > 0 && free_bytes <= total_bytes);
  int* data = nullptr;
  EXPECT_EQ(cudaMalloc(&data, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  Buffer<int> small(32, 1);  // the failure leaves everything working
  add_one<<<1, 32>>>(small.ptr(), 32);
  EXPECT_EACH(small, [](std::size_t) { return 2; });
}
