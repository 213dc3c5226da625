// The target is one attribute of the module. A named processor is the same on every
// host; features are listed, so later stages need no names.

// RUN: weir-emit %s --emit=mlir --cpu=x86-64 -o %t && FileCheck %s --check-prefix=BASE --implicit-check-not=+avx < %t
// BASE: weir.target = #weir.target<{{.*}}features = "{{.*}}+sse2{{.*}}", vector_bits = 128, fma = false>

// RUN: weir-emit %s --emit=mlir --cpu=x86-64-v3 -o %t && FileCheck %s --check-prefix=V3 --implicit-check-not=+avx512 < %t
// V3: cpu = "x86-64-v3", features = "{{.*}}+avx2{{.*}}+fma{{.*}}", vector_bits = 256>
// V3-NOT: fma = false

// RUN: weir-emit %s --emit=mlir --cpu=x86-64-v4 -o %t && FileCheck %s --check-prefix=V4 --implicit-check-not=prefer-256 < %t
// V4: cpu = "x86-64-v4", features = "{{[^"]*}}+avx512f{{[^"]*}}", fma_rate = 2>

// Zen 4 begins one multiply-add of a whole vector per cycle, and one addition beside
// it.
// RUN: weir-emit %s --emit=mlir --cpu=znver4 -o %t && FileCheck %s --check-prefix=ZEN4 < %t
// ZEN4: cpu = "znver4", features = "{{[^"]*}}", adds_beside = true>

// Zen 5 begins two of both per cycle.
// RUN: weir-emit %s --emit=mlir --cpu=znver4 --attr=+avx512vp2intersect -o %t && FileCheck %s --check-prefix=ZEN5 < %t
// ZEN5: cpu = "znver4", features = "{{[^"]*}}", fma_rate = 2, adds_beside = true>

// Features may be added and removed.
// RUN: weir-emit %s --emit=mlir --cpu=x86-64-v3 --attr=-fma,+avx512f -o %t && FileCheck %s --check-prefix=ATTR --implicit-check-not=vector_bits < %t
// ATTR: cpu = "x86-64-v3", features = "{{[^"]*}}+avx512f

// Processors with tiles have a larger cache.
// RUN: weir-emit %s --emit=mlir --cpu=sapphirerapids -o %t && FileCheck %s --check-prefix=TILES < %t
// TILES: features = "{{.*}}+amx-bf16{{.*}}+amx-tile{{.*}}", {{.*}}l2 = 2097152

// RUN: weir-emit %s --emit=mlir --target=aarch64-linux-gnu -o %t && FileCheck %s --check-prefix=ARM < %t
// ARM: triple = "aarch64-unknown-linux-gnu", cpu = "generic", features = "{{.*}}+neon{{.*}}", vector_bits = 128>

// RUN: weir-emit %s --emit=mlir -o %t && FileCheck %s --check-prefix=NATIVE --implicit-check-not=avx10 < %t
// NATIVE: weir.target = #weir.target<

module {}
