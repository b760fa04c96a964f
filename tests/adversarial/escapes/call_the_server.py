def attempt():
    socket.create_connection(("127.0.0.1", PORT), timeout=0.5).close()
    return True
