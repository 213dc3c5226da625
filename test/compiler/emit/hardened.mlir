// A shared library has no executable stack, no text relocations and no paths. Only
// necessary parts are writable, and only the header's symbols are visible. Its bytes do
// not depend on the folder.

// RUN: rm -rf %t && mkdir -p %t/elsewhere
// RUN: weir-emit %S/affine.mlir -o %t/libaffine.so
// RUN: cd %t/elsewhere && weir-emit %S/affine.mlir -o libaffine.so
// RUN: cmp %t/libaffine.so %t/elsewhere/libaffine.so
// RUN: weir-emit %S/affine.mlir -o %t/libaffine.a
// RUN: cd %t/elsewhere && weir-emit %S/affine.mlir -o libaffine.a
// RUN: cmp %t/libaffine.a %t/elsewhere/libaffine.a

// RUN: readelf -lW %t/libaffine.so | FileCheck %s --check-prefix=SEGMENTS --implicit-check-not=RWE
// SEGMENTS: GNU_RELRO
// SEGMENTS: GNU_STACK {{.*}} RW 0

// RUN: readelf -dW %t/libaffine.so | FileCheck %s --check-prefix=DYNAMIC --implicit-check-not=TEXTREL --implicit-check-not=RPATH --implicit-check-not=RUNPATH
// DYNAMIC: (NEEDED) {{.*}} [libc.so.6]
// DYNAMIC-NOT: NEEDED
// DYNAMIC: (SONAME) {{.*}} [libaffine.so]
// DYNAMIC: BIND_NOW

// RUN: readelf -nW %t/libaffine.so | FileCheck %s --check-prefix=NOTES
// NOTES: Build ID: {{[0-9a-f]+}}

// RUN: nm -D --defined-only %t/libaffine.so | FileCheck %s --check-prefix=EXPORTS --implicit-check-not=weir
// EXPORTS: affine_create
// EXPORTS-NEXT: affine_destroy
// EXPORTS-NEXT: affine_info
// EXPORTS-NEXT: affine_last_error
// EXPORTS-NEXT: affine_run
// EXPORTS-NEXT: affine_serving_default
// EXPORTS-NEXT: affine_status_text
// EXPORTS-NOT: {{.}}

// RUN: strings -n 4 %t/libaffine.so | FileCheck %s --check-prefix=PATHS --implicit-check-not=%t --implicit-check-not=/runtime/
// PATHS: affine.pb
