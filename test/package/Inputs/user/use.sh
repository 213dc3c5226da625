# Each use of the package is one command.
set -ex
cd /user
apt-get install --yes --no-install-recommends ./weir.deb
weir compile classes.onnx -o libclasses.a --header=classes.h
c++ -std=c++17 main.cpp libclasses.a $(pkg-config --cflags --libs weir) -o main
./main
cmake -S . -B build && cmake --build build
build/app
weir compile classes.onnx -o classes.so
python3 use.py
man weir | head -n 20
