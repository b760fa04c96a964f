# A raw socket.
def attempt():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    return True
