def attempt():
    header = struct.pack("Ii", 0x20080522, 0)
    return libc.syscall(126, header, struct.pack("IIIIII", *[0xFFFFFFFF] * 6)) == 0
