// Structures, unions, enums, namespaces, inheritance, virtual functions and memory from the heap.
#include <new>

#include "../conformance.hpp"

using conformance::Buffer;

struct Inner {
  short codes[5];
  double weight;
};
struct Large {
  int header;
  Inner inner[20];
  float tail[100];
};

__global__ void read_large(double* out, Large value, int scale) {
  const int t = threadIdx.x;
  out[t] = value.header + value.inner[t % 20].codes[t % 5] * scale + value.inner[t % 20].weight +
           value.tail[t % 100];
  value.header = -1;  // a thread's own copy
}

CASE(large_structure_as_an_argument) {
  Large value{};
  value.header = 9;
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 5; ++k) value.inner[i].codes[k] = static_cast<short>(10 * i + k);
    value.inner[i].weight = 0.25 * i;
  }
  for (int i = 0; i < 100; ++i) value.tail[i] = 0.5f * static_cast<float>(i);
  Buffer<double> out(128);
  read_large<<<1, 128>>>(out.ptr(), value, 3);
  EXPECT_EACH(out, [](std::size_t i) {
    const double t = static_cast<double>(i % 20);
    return 9 + (10 * t + static_cast<double>(i % 5)) * 3 + 0.25 * t +
           0.5 * static_cast<double>(i % 100);
  });
}

struct Matrix {
  float* data;
  int rows, columns;
  __device__ float& operator()(int row, int column) { return data[row * columns + column]; }
};

__global__ void through_a_view(Matrix matrix) {
  if (threadIdx.y < matrix.rows && threadIdx.x < matrix.columns) {
    matrix(threadIdx.y, threadIdx.x) = 10.0f * threadIdx.y + threadIdx.x;
  }
}

CASE(view_with_a_pointer_inside) {
  Buffer<float> data(5 * 7);
  through_a_view<<<1, dim3(8, 8)>>>(Matrix{data.ptr(), 5, 7});
  EXPECT_EACH(data, [](std::size_t i) {
    return 10.0f * static_cast<float>(i / 7) + static_cast<float>(i % 7);
  });
}

union Word {
  unsigned whole;
  unsigned char bytes[4];
  struct {
    unsigned low : 12;
    unsigned middle : 8;
    unsigned high : 12;
  } fields;
};

__global__ void unions(unsigned* out) {
  Word word;
  word.whole = 0xABCDE123u + threadIdx.x;
  out[4 * threadIdx.x] = word.bytes[0] | static_cast<unsigned>(word.bytes[3]) << 8;
  out[4 * threadIdx.x + 1] = word.fields.low;
  out[4 * threadIdx.x + 2] = word.fields.middle;
  out[4 * threadIdx.x + 3] = word.fields.high;
}

CASE(unions_and_bit_fields) {
  Buffer<unsigned> out(64);
  unions<<<1, 16>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const unsigned word = 0xABCDE123u + static_cast<unsigned>(i / 4);
    const unsigned want[4] = {(word & 0xff) | word >> 24 << 8, word & 0xfff, word >> 12 & 0xff,
                              word >> 20};
    return want[i % 4];
  });
}

enum class Colour : unsigned char { red = 1, green = 5, blue };
enum Plain { zero, one, ten = 10 };

__device__ int code(Colour colour) {
  switch (colour) {
    case Colour::red:
      return 100;
    case Colour::green:
      return 200;
    default:
      return 300 + static_cast<int>(colour);
  }
}

__global__ void enums(int* out, Colour given, Plain plain) {
  out[0] = code(given);
  out[1] = code(Colour::blue);
  out[2] = static_cast<int>(sizeof(Colour)) + plain;
}

CASE(enumerations) {
  Buffer<int> out(3);
  enums<<<1, 1>>>(out.ptr(), Colour::green, ten);
  const int want[3] = {200, 306, 11};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

namespace outer {
namespace inner {
__device__ int value(int n) {
  return n + 1;
}
struct Helper {
  static constexpr int kFactor = 6;
  static __device__ int apply(int n) { return value(n) * kFactor; }
};
__global__ void kernel(int* out) {
  out[threadIdx.x] = Helper::apply(threadIdx.x);
}
}  // namespace inner
namespace alias = inner;
}  // namespace outer

namespace {
__device__ int hidden(int n) {
  return n * 2;
}
__global__ void anonymous_kernel(int* out) {
  using outer::inner::Helper;
  out[threadIdx.x] = hidden(Helper::apply(threadIdx.x));
}
}  // namespace

CASE(namespaces_and_static_members) {
  Buffer<int> named(16), anonymous(16);
  outer::alias::kernel<<<1, 16>>>(named.ptr());
  anonymous_kernel<<<1, 16>>>(anonymous.ptr());
  EXPECT_EACH(named, [](std::size_t i) { return static_cast<int>(6 * (i + 1)); });
  EXPECT_EACH(anonymous, [](std::size_t i) { return static_cast<int>(12 * (i + 1)); });
}

class Shape {
 public:
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual float doubled() const { return 2 * area(); }
};
class Square : public Shape {
 public:
  __device__ explicit Square(float side) : side_(side) {}
  __device__ float area() const override { return side_ * side_; }

 private:
  float side_;
};
class Rectangle : public Shape {
 public:
  __device__ Rectangle(float width, float height) : width_(width), height_(height) {}
  __device__ float area() const override { return width_ * height_; }
  __device__ float doubled() const override { return -1; }

 private:
  float width_, height_;
};

// Objects with virtual functions must be made where they are used: their tables hold addresses.
__global__ void make_shapes(Shape** shapes, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const float size = static_cast<float>(i);
  shapes[i] = i % 2 == 0 ? static_cast<Shape*>(new Square(size)) : new Rectangle(size, 10);
}
__global__ void use_shapes(Shape** shapes, float* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = shapes[i]->area() + 1000 * shapes[i]->doubled();
}
__global__ void delete_shapes(Shape** shapes, int n) {
  if (threadIdx.x < n) delete shapes[threadIdx.x];
}

CASE(virtual_functions_of_objects_made_on_the_device) {
  constexpr int kCount = 40;
  Buffer<Shape*> shapes(kCount);
  Buffer<float> out(kCount);
  make_shapes<<<1, 64>>>(shapes.ptr(), kCount);
  use_shapes<<<1, 64>>>(shapes.ptr(), out.ptr(), kCount);
  delete_shapes<<<1, 64>>>(shapes.ptr(), kCount);
  EXPECT_EACH(out, [](std::size_t i) {
    const float size = static_cast<float>(i);
    return i % 2 == 0 ? size * size * 2001 : size * 10 - 1000;
  });
}

struct Counted {
  int* counter;
  int value;
  __device__ Counted(int* c, int v) : counter(c), value(v) { atomicAdd(counter, 1); }
  __device__ ~Counted() { atomicAdd(counter, 100); }
};

__global__ void placement(int* counter, int* out) {
  alignas(Counted) unsigned char storage[sizeof(Counted)];
  Counted* made = new (storage) Counted(counter, threadIdx.x * 3);
  out[threadIdx.x] = made->value;
  made->~Counted();
  Counted scoped(counter, 0);
}

CASE(placement_new_constructors_and_destructors) {
  Buffer<int> counter(1, 0), out(32);
  placement<<<1, 32>>>(counter.ptr(), out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return 3 * static_cast<int>(i); });
  EXPECT_EACH(counter, [](std::size_t) { return 32 * 2 * 101; });
}

__global__ void from_the_heap(long long* out, int n) {
  int* const mine = static_cast<int*>(malloc(n * sizeof(int)));
  long long sum = -1;
  if (mine != nullptr) {
    for (int i = 0; i < n; ++i) mine[i] = i * static_cast<int>(threadIdx.x);
    sum = 0;
    for (int i = 0; i < n; ++i) sum += mine[i];
    free(mine);
  }
  double* const array = new double[4];
  array[3] = 0.5;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + static_cast<long long>(2 * array[3]);
  delete[] array;
}

CASE(malloc_and_new_in_a_kernel) {
  Buffer<long long> out(4 * 50);
  from_the_heap<<<4, 50>>>(out.ptr(), 30);
  EXPECT_EACH(out, [](std::size_t i) { return 435 * static_cast<long long>(i % 50) + 1; });
}

struct Base {
  int a;
  __host__ __device__ int get() const { return a; }
};
struct Other {
  double b;
};
struct Derived : Base, Other {
  int c;
  __host__ __device__ Derived(int x, double y, int z) : Base{x}, Other{y}, c(z) {}
  __host__ __device__ double all() const { return get() + b + c; }
};

__global__ void inherited(double* out, Derived given) {
  Derived local(threadIdx.x, 0.5, 7);
  const Other* other = &local;
  out[threadIdx.x] = local.all() + given.all() + other->b;
}

CASE(multiple_inheritance_by_value) {
  Buffer<double> out(8);
  inherited<<<1, 8>>>(out.ptr(), Derived(100, 0.25, 1000));
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<double>(i) + 0.5 + 7 + 1100.25 + 0.5; });
}

struct Complex {
  float re, im;
  __host__ __device__ friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  __host__ __device__ Complex& operator+=(Complex o) {
    re += o.re;
    im += o.im;
    return *this;
  }
  __host__ __device__ bool operator==(Complex o) const { return re == o.re && im == o.im; }
};

// An operator that is no member, such as helper headers define for float3.
__host__ __device__ void operator-=(float3& a, float3 b) {
  a.x -= b.x, a.y -= b.y, a.z -= b.z;
}
__host__ __device__ bool operator<(float3 a, float3 b) {
  return a.x < b.x;
}
__global__ void free_operators(float* out) {
  __shared__ float3 shared;
  if (threadIdx.x == 0) shared = make_float3(1, 2, 3);
  __syncthreads();
  float3 a = make_float3(static_cast<float>(threadIdx.x), 10, 10);
  a -= shared;
  out[threadIdx.x] = a < shared ? a.x : a.y + a.z;
}

CASE(operators_outside_of_classes) {
  Buffer<float> out(8);
  free_operators<<<1, 8>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return i < 2 ? static_cast<float>(i) - 1 : 15.0F; });
}

__global__ void operators(Complex* out) {
  const float t = static_cast<float>(threadIdx.x);
  Complex z{t, 1};
  z += z * Complex{0, 1};
  out[threadIdx.x] = z;
}

CASE(overloaded_operators) {
  Buffer<Complex> out(16);
  operators<<<1, 16>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const float t = static_cast<float>(i);
    return Complex{t - 1, t + 1};
  });
}
