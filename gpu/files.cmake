# Headers, and one source, for extensions whose host and device sides are compiled apart, relative to gpu/.
set(ASSAY_GPU_FILES
  include/assay/gpu/accessors.hpp
  include/assay/gpu/device.hpp
  include/assay/gpu/launch.hpp
  include/assay/gpu/prelude.hpp
  include/assay/gpu/torch.hpp
  launch.cpp)
