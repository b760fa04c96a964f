// Threads that wait for each other: independent thread scheduling, locks, queues and flags.
#include "../conformance.hpp"

using conformance::Buffer;

// Every thread of a warp takes the same lock in turn. Without independent progress of the threads
// of a warp this would never end.
__global__ void count_under_a_lock(int* lock, volatile int* counter, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *counter = *counter + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

CASE(spin_lock_taken_by_every_lane) {
  Buffer<int> lock(1, 0), counter(1, 0);
  count_under_a_lock<<<4, 40>>>(lock.ptr(), counter.ptr(), 3);
  EXPECT_EACH(counter, [](std::size_t) { return 4 * 40 * 3; });
  EXPECT_EACH(lock, [](std::size_t) { return 0; });
}

__global__ void hand_over_in_a_warp(int* out) {
  __shared__ int flag;
  __shared__ int message;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 31) {
    message = 1234;
    __threadfence_block();
    atomicExch(&flag, 1);
  } else {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence_block();
  }
  out[threadIdx.x] = threadIdx.x == 31 ? 0 : message + threadIdx.x;
}

CASE(lanes_wait_for_another_lane) {
  Buffer<int> out(32);
  hand_over_in_a_warp<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return i == 31 ? 0 : 1234 + static_cast<int>(i); });
}

__global__ void chain_of_warps(int* out) {
  __shared__ int turn;
  __shared__ int value;
  if (threadIdx.x == 0) {
    turn = 0;
    value = 1;
  }
  __syncthreads();
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    while (atomicAdd(&turn, 0) != warp) __nanosleep(20);
    __threadfence_block();
    value = value * 3 + warp;
    __threadfence_block();
    atomicAdd(&turn, 1);
  }
  __syncthreads();
  out[threadIdx.x] = value;
}

CASE(warps_take_turns) {
  Buffer<int> out(256);
  chain_of_warps<<<1, 256>>>(out.ptr());
  int want = 1;
  for (int warp = 0; warp < 8; ++warp) want = want * 3 + warp;
  EXPECT_EACH(out, [=](std::size_t) { return want; });
}

__global__ void volatile_flag(volatile int* flag, volatile int* message, int* out) {
  if (threadIdx.x == 0) {
    *message = 77;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) __nanosleep(50);
    __threadfence();
  }
  out[threadIdx.x] = *message + threadIdx.x;
}

CASE(waiting_on_a_volatile_flag) {
  Buffer<int> flag(1, 0), message(1, 0), out(64);
  volatile_flag<<<1, 64>>>(flag.ptr(), message.ptr(), out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return 77 + static_cast<int>(i); });
}

// Blocks draw items from one queue until it is empty; which block gets which is left open.
__global__ void work_queue(unsigned* next, int* done_by, int items) {
  __shared__ unsigned item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1u);
    __syncthreads();
    const unsigned mine = item;
    __syncthreads();
    if (mine >= static_cast<unsigned>(items)) break;
    if (threadIdx.x == mine % blockDim.x) atomicAdd(&done_by[mine], 1);
  }
}

CASE(queue_of_work_is_drained_exactly_once) {
  constexpr int kItems = 333;
  Buffer<unsigned> next(1, 0u);
  Buffer<int> done(kItems, 0);
  work_queue<<<7, 50>>>(next.ptr(), done.ptr(), kItems);
  EXPECT_EACH(done, [](std::size_t) { return 1; });
  EXPECT_EACH(next, [](std::size_t) { return static_cast<unsigned>(kItems + 7); });
}

// Block numbers drawn from a counter are in order of start, so waiting for the one before is safe.
__global__ void blocks_in_order(unsigned* ticket, int* ready, int* value) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) {
    block = atomicAdd(ticket, 1u);
    int before = 0;
    if (block > 0) {
      while (atomicAdd(&ready[block - 1], 0) == 0) {
      }
      __threadfence();
      before = static_cast<volatile int*>(value)[block - 1];
    }
    value[block] = before + static_cast<int>(block);
    __threadfence();
    atomicExch(&ready[block], 1);
  }
}

CASE(blocks_wait_for_earlier_blocks) {
  constexpr int kBlocks = 60;
  Buffer<unsigned> ticket(1, 0u);
  Buffer<int> ready(kBlocks, 0), value(kBlocks);
  blocks_in_order<<<kBlocks, 32>>>(ticket.ptr(), ready.ptr(), value.ptr());
  EXPECT_EACH(value, [](std::size_t i) { return static_cast<int>(i * (i + 1) / 2); });
}

__global__ void divergent_loops(const int* trips, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int n = 0; n < trips[i]; ++n) {
    if (n % 3 == 0) continue;
    if (n > 50) break;
    sum += (n % 2 != 0) ? n : -n;
  }
  switch (i % 4) {
    case 0:
      sum += 1000;
      break;
    case 1:
      sum += 100;
      [[fallthrough]];
    case 2:
      sum += 10;
      break;
    default:
      sum = -sum;
  }
  out[i] = sum;
}

CASE(divergent_loops_and_switches) {
  const std::vector<int> trips = conformance::random_ints(500, 80, 3);
  Buffer<int> device_trips(trips), out(500);
  divergent_loops<<<5, 100>>>(device_trips.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) {
    int sum = 0;
    for (int n = 0; n < trips[i] && n <= 51; ++n) {
      if (n % 3 != 0) sum += (n % 2 != 0) ? n : -n;
    }
    // 51 is a multiple of three: the break comes at 52.
    if (i % 4 == 0) return sum + 1000;
    if (i % 4 == 1) return sum + 110;
    return i % 4 == 2 ? sum + 10 : -sum;
  });
}
