# What is compiled for the GPU by NVRTC, relative to device_code/.
set(ASSAY_DEVICE_CODE_FILES
  both.hpp
  comparison.hpp
  distribution.hpp
  elements.hpp
  generation.hpp
  scene.cu
  scene.hpp
  work.cu
  work.hpp)
