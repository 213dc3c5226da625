// The target is one attribute of the module. A named processor means the same
// on every host; features are spelled out, so that no name need be understood.

// RUN: weir-emit %s --emit=mlir --cpu=x86-64 -o %t && FileCheck %s --check-prefix=BASE --implicit-check-not=+avx < %t
// BASE: cpu = "x86-64", features = "{{.*}}+sse2{{.*}}", fma = false, fma_rate = 1 : i64, l1 = 32768 : i64, l2 = 1048576 : i64, triple = "x86_64-unknown-linux-gnu", vector_bits = 128 : i64

// RUN: weir-emit %s --emit=mlir --cpu=x86-64-v3 -o %t && FileCheck %s --check-prefix=V3 --implicit-check-not=+avx512 < %t
// V3: cpu = "x86-64-v3", features = "{{.*}}+avx2{{.*}}+fma{{.*}}", fma = true, {{.*}}vector_bits = 256 : i64

// RUN: weir-emit %s --emit=mlir --cpu=x86-64-v4 -o %t && FileCheck %s --check-prefix=V4 --implicit-check-not=prefer-256 < %t
// V4: adds_beside = false, cpu = "x86-64-v4", features = "{{.*}}+avx512f{{.*}}", fma = true, fma_rate = 2 : i64, {{.*}}vector_bits = 512 : i64

// Zen 4 begins one product of whole vectors a cycle, and one addition beside it.
// RUN: weir-emit %s --emit=mlir --cpu=znver4 -o %t && FileCheck %s --check-prefix=ZEN4 < %t
// ZEN4: adds_beside = true, {{.*}}fma = true, fma_rate = 1 : i64

// The generation after it, of both two.
// RUN: weir-emit %s --emit=mlir --cpu=znver4 --attr=+avx512vp2intersect -o %t && FileCheck %s --check-prefix=ZEN5 < %t
// ZEN5: adds_beside = true, {{.*}}fma = true, fma_rate = 2 : i64

// Features added and taken away.
// RUN: weir-emit %s --emit=mlir --cpu=x86-64-v3 --attr=-fma,+avx512f -o %t && FileCheck %s --check-prefix=ATTR < %t
// ATTR: cpu = "x86-64-v3"{{.*}}vector_bits = 512 : i64

// Processors with tiles have a larger cache.
// RUN: weir-emit %s --emit=mlir --cpu=sapphirerapids -o %t && FileCheck %s --check-prefix=TILES < %t
// TILES: features = "{{.*}}+amx-bf16{{.*}}+amx-tile{{.*}}", {{.*}}l2 = 2097152 : i64

// RUN: weir-emit %s --emit=mlir --target=aarch64-linux-gnu -o %t && FileCheck %s --check-prefix=ARM < %t
// ARM: cpu = "generic", features = "{{.*}}+neon{{.*}}", fma = true, {{.*}}triple = "aarch64-unknown-linux-gnu", vector_bits = 128 : i64

// RUN: weir-emit %s --emit=mlir -o %t && FileCheck %s --check-prefix=NATIVE --implicit-check-not=avx10 < %t
// NATIVE: triple = "

module {}
