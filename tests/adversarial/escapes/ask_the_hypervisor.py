# vsock
def attempt():
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
    return True
