# What is compiled for the GPU by NVRTC, relative to device_code/.
set(ASSAY_DEVICE_CODE_FILES scene.cu scene.hpp)
