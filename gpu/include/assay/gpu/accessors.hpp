// torch's packed accessors for the device side of a split CUDA source: laid out as torch's own,
// which the host side passes to kernels by value.
#pragma once

namespace at {

template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

/// What indexing gives: a part of a tensor. Sizes and strides are the whole's.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class Index = int64_t>
class TensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;
  using Part = TensorAccessor<T, N - 1, PtrTraits, Index>;

  __device__ TensorAccessor(PtrType data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
  __device__ Part operator[](Index i) {
    return Part(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }
  __device__ const Part operator[](Index i) const {
    return Part(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }

 private:
  PtrType data_;
  const Index* sizes_;
  const Index* strides_;
};

template <class T, template <class> class PtrTraits, class Index>
class TensorAccessor<T, 1, PtrTraits, Index> {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  __device__ TensorAccessor(PtrType data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
  __device__ T& operator[](Index i) { return data_[strides_[0] * i]; }
  __device__ const T& operator[](Index i) const { return data_[strides_[0] * i]; }

 private:
  PtrType data_;
  const Index* sizes_;
  const Index* strides_;
};

/// A whole tensor, with sizes and strides of its own.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class Index = int64_t>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;

  __device__ Index size(Index i) const { return sizes_[i]; }
  __device__ Index stride(Index i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
  __device__ decltype(auto) operator[](Index i) { return all()[i]; }
  __device__ decltype(auto) operator[](Index i) const {
    const auto whole = all();
    return whole[i];
  }

 private:
  __device__ TensorAccessor<T, N, PtrTraits, Index> all() const {
    return {data_, sizes_, strides_};
  }

  PtrType data_;
  Index sizes_[N];
  Index strides_[N];
};

template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class Index = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, Index>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;

}  // namespace at
