# The archive is below /opt, on the path; it needs only glibc of the system.
set -ex
PATH=$(echo /opt/weir-*/bin):$PATH
cd /user
weir --version
weir compile classes.onnx -o classes.so
weir run classes.so --input=image=1x1x8x8xf32=$(seq -s, 0 0.015625 0.984375)
weir-opt --version
weir-translate --version
weir-lsp --version
