"""Writes files that users confuse with models, into the current folder."""

import io
import os
import struct
import tarfile
import zipfile


def write(name, contents):
    with open(name, "wb") as file:
        file.write(contents)


def archive(name, *members):
    with zipfile.ZipFile(name, "w") as file:
        for member in members:
            file.writestr(member, b"{}")


write("lfs.onnx", b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n")
write("page.onnx", b"\n<!DOCTYPE html><html></html>")
write("upper.pb", b"<HTML></HTML>")
write("net.xml", b'<?xml version="1.0"?>\n<net name="n"></net>')
write("config.json", b'{"model_type": "bert"}')
write("model.json", b'{"format": "graph-model"}')
archive("model.keras", "metadata.json", "config.json", "model.weights.h5")
archive("model.pt", "archive/data.pkl", "archive/version")
archive("arrays.npz", "a.npy")
archive("saved.zip", "m/saved_model.pb")
archive("other.zip", "readme")
write("model.h5", b"\x89HDF\r\n\x1a\n" + bytes(100))
write("model.tflite", b"\x1c\0\0\0TFL3" + bytes(64))
write("model.ort", b"\x1c\0\0\0ORTM" + bytes(64))
write("model.gguf", b"GGUF" + bytes(64))
write("model.safetensors", struct.pack("<Q", 2) + b"{}")
write("model.bin", b"\x80\x02\x8a\x0al" + bytes(32))
write("model.gz", b"\x1f\x8b\x08" + bytes(32))
buffer = io.BytesIO()
with tarfile.open(fileobj=buffer, mode="w") as file:
    file.addfile(tarfile.TarInfo("a"))
write("model.tar", buffer.getvalue())
for folder in ("serving/1", "serving/12", "empty", "exported", "torch", "saved"):
    os.makedirs(folder, exist_ok=True)
for name in ("serving/1/saved_model.pb", "serving/12/saved_model.pb", "exported/a.onnx", "torch/model.safetensors", "saved/m.index"):
    write(name, b"x")


def node(name, op, *inputs):
    """A node of a GraphDef with names of less than 128 bytes."""
    fields = ((1, name), (2, op), *((3, each) for each in inputs))
    text = b"".join(bytes([number << 3 | 2, len(value)]) + value.encode() for number, value in fields)
    attribute = b"\x0a\x05dtype\x12\x02\x30\x01" if op == "Placeholder" else b"\x0a\x01T\x12\x02\x30\x01"
    text += bytes([5 << 3 | 2, len(attribute)]) + attribute
    return b"\x0a" + bytes([len(text)]) + text


# A graph whose first node has as many bytes as the number of a bracket.
for bracket, file in (("<", "sixty.pb"), ("{", "more.pb")):
    name = "x" * (ord(bracket) - len(node("", "Placeholder")) + 2)
    graph = node(name, "Placeholder") + node("y", "Relu", name)
    assert graph.startswith(b"\n" + bracket.encode())
    write(file, graph)
