from assay_runner.zygote import main

main()
