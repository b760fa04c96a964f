# The package that runs Python kernels, as it is compiled into the binary.
set(ASSAY_RUNNER_FILES
  assay_runner/__init__.py
  assay_runner/child.py
  assay_runner/confinement.py
  assay_runner/cuda_on_cpu.py
  assay_runner/extensions.py
  assay_runner/failures.py
  assay_runner/forms.py
  assay_runner/frames.py
  assay_runner/host_device.py
  assay_runner/preload.py
  assay_runner/session.py
  assay_runner/source.py
  assay_runner/syscalls.py
  assay_runner/trees.py
  assay_runner/verdicts.py
  assay_runner/zygote.py)
