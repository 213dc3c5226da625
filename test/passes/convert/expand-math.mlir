// RUN: weir-opt %s -split-input-file -weir-expand-math | FileCheck %s

// The expansion is straight-line code, the same for scalars and vectors.
// CHECK-LABEL: func @exp
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}} : f32
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: math.fma %{{.*}} : vector<16xf32>
// CHECK-NOT: scf
// CHECK: return
func.func @exp(%x: f32, %v: vector<16xf32>) -> (f32, vector<16xf32>) {
  %y = math.exp %x : f32
  %w = math.exp %v : vector<16xf32>
  return %y, %w : f32, vector<16xf32>
}

// -----

// Two powers of two scale the result, because one may not be representable as a float.
// One is enough if the argument is at most 0, or if tiny results may become zero. The
// other one is in the polynomial.
// CHECK-LABEL: func @steps
// CHECK-COUNT-2: arith.shli
// CHECK-NOT: arith.shli
// CHECK-LABEL: func @nonpositive
// CHECK-COUNT-1: arith.shli
// CHECK-NOT: arith.shli
// CHECK-LABEL: func @beside_one
// CHECK-COUNT-1: arith.shli
// CHECK-NOT: arith.shli
// CHECK-LABEL: func @beside_less
// CHECK-COUNT-2: arith.shli
func.func @steps(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

func.func @nonpositive(%x: f32) -> f32 {
  %y = math.exp %x {weir.nonpositive} : f32
  return %y : f32
}

func.func @beside_one(%x: vector<8xf32>) -> vector<8xf32> {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %y = math.exp %x : vector<8xf32>
  %z = arith.addf %one, %y : vector<8xf32>
  return %z : vector<8xf32>
}

func.func @beside_less(%x: f32) -> f32 {
  %tiny = arith.constant 1.0e-30 : f32
  %y = math.exp %x : f32
  %z = arith.addf %y, %tiny : f32
  return %z : f32
}

// -----

// No function of f32 needs a library.
// CHECK-LABEL: func @all
// CHECK-NOT: math.{{(exp|log|sin|cos|tan|asin|acos|atan|erf|cbrt|pow)}}
// CHECK: return
func.func @all(%x: f32, %z: f32) -> f32 {
  %0 = math.exp2 %x : f32
  %1 = math.expm1 %0 : f32
  %2 = math.log %1 : f32
  %3 = math.log2 %2 : f32
  %4 = math.log10 %3 : f32
  %5 = math.log1p %4 : f32
  %6 = math.sinh %5 : f32
  %7 = math.cosh %6 : f32
  %8 = math.tanh %7 : f32
  %9 = math.asinh %8 : f32
  %10 = math.acosh %9 : f32
  %11 = math.atanh %10 : f32
  %12 = math.sin %11 : f32
  %13 = math.cos %12 : f32
  %14 = math.tan %13 : f32
  %15 = math.asin %14 : f32
  %16 = math.acos %15 : f32
  %17 = math.atan %16 : f32
  %18 = math.atan2 %17, %z : f32
  %19 = math.erf %18 : f32
  %20 = math.cbrt %19 : f32
  %21 = math.powf %20, %z : f32
  return %21 : f32
}

// -----

// f16 is computed in f32. f64 stays, and so do functions that the target has an
// instruction for.
// CHECK-LABEL: func @other_types
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: math.tanh %{{.*}} : f64
// CHECK: math.floor %{{.*}} : f16
// CHECK: math.sqrt %{{.*}} : f32
func.func @other_types(%h: f16, %d: f64, %x: f32) -> (f16, f64, f16, f32) {
  %0 = math.tanh %h : f16
  %1 = math.tanh %d : f64
  %2 = math.floor %h : f16
  %3 = math.sqrt %x : f32
  return %0, %1, %2, %3 : f16, f64, f16, f32
}

// -----

// A target without fused multiply-add would call fmaf.
module attributes {weir.target = #weir.target<fma = false>} {
  // CHECK-LABEL: func @no_fma
  // CHECK-NOT: math.fma
  // CHECK: return
  func.func @no_fma(%x: f32, %d: f64) -> (f32, f64) {
    %0 = math.fma %x, %x, %x : f32
    %1 = math.exp %0 : f32
    %2 = math.fma %d, %d, %d : f64
    return %1, %2 : f32, f64
  }
}

// -----

// The same function of several values interleaves their chains, op by op.
// CHECK-LABEL: func @turns
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>, %[[Y:.*]]: vector<16xf32>)
// CHECK: arith.cmpf olt, %[[X]]
// CHECK: arith.cmpf olt, %[[Y]]
// CHECK: %[[A:.*]] = math.fma
// CHECK: %[[B:.*]] = math.fma
// CHECK: arith.subf %[[A]]
// CHECK: arith.subf %[[B]]
func.func @turns(%x: vector<16xf32>, %y: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.exp %y : vector<16xf32>
  return %0, %1 : vector<16xf32>, vector<16xf32>
}

// -----

// A function of another one's result begins after that result.
// CHECK-LABEL: func @chain
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
module attributes {weir.target = #weir.target<features = "+avx512f,+fma">} {
  func.func @chain(%x: vector<16xf32>) -> vector<16xf32> {
    %0 = math.exp %x : vector<16xf32>
    %1 = math.exp %0 : vector<16xf32>
    return %1 : vector<16xf32>
  }
}

// -----

// The instructions for the mantissa and the exponent have the right results for 0,
// infinity and negative numbers, so no selects follow.
module attributes {weir.target = #weir.target<features = "+avx512f">} {
  // CHECK-LABEL: func @log
  // CHECK: %[[M:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.getmant.ps.512"
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.getexp.ps.512"
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.getexp.ps.512"(%[[M]]
  // CHECK-NOT: arith.select
  // CHECK: return
  func.func @log(%x: vector<16xf32>) -> vector<16xf32> {
    %0 = math.log %x : vector<16xf32>
    return %0 : vector<16xf32>
  }
}

// -----

// AVX-512 looks up the coefficients of polynomials for whole vectors; scalars use the
// same coefficients.
module attributes {weir.target = #weir.target<features = "+avx512dq,+avx512f">} {
  // CHECK-LABEL: func @table
  // CHECK-COUNT-12: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK-COUNT-6: vector.extractelement
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: return
  func.func @table(%x: vector<16xf32>, %h: vector<8xf32>, %s: f32) -> (vector<16xf32>, vector<8xf32>, f32) {
    %0 = math.erf %x : vector<16xf32>
    %1 = math.erf %h : vector<8xf32>
    %2 = math.erf %s : f32
    return %0, %1, %2 : vector<16xf32>, vector<8xf32>, f32
  }
}

// -----

// AVX2 does the same with two tables of eight, and rounds once.
module attributes {weir.target = #weir.target<features = "+avx2,+fma">} {
  // CHECK-LABEL: func @small_table
  // CHECK-COUNT-24: llvm.call_intrinsic "llvm.x86.avx2.permps"
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK-COUNT-8: vector.extractelement
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: return
  func.func @small_table(%x: vector<8xf32>, %w: vector<16xf32>, %s: f32) -> (vector<8xf32>, vector<16xf32>, f32) {
    %0 = math.erf %x : vector<8xf32>
    %1 = math.erf %w : vector<16xf32>
    %2 = math.erf %s : f32
    return %0, %1, %2 : vector<8xf32>, vector<16xf32>, f32
  }
}

// -----

module attributes {weir.target = #weir.target<features = "+avx2", fma = false>} {
  // CHECK-LABEL: func @two_roundings
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: return
  func.func @two_roundings(%x: vector<8xf32>) -> vector<8xf32> {
    %0 = math.erf %x : vector<8xf32>
    return %0 : vector<8xf32>
  }
}

// -----

module attributes {weir.target = #weir.target<features = "+avx,+avx512fp16">} {
  // CHECK-LABEL: func @no_table
  // CHECK-NOT: llvm.call_intrinsic
  // CHECK: return
  func.func @no_table(%x: vector<16xf32>) -> vector<16xf32> {
    %0 = math.erf %x : vector<16xf32>
    return %0 : vector<16xf32>
  }
}

// -----

// The value is clipped, and one addition rounds it; the low bits of the sum are the
// byte. A subtraction of the addend converts it back to a float. The odd zero point is
// added to integers, because the float sum must round to even numbers.
// CHECK-LABEL: func @byte
// CHECK: %[[LOW:.*]] = arith.constant dense<-1.310000e+02>
// CHECK: %[[A:.*]] = arith.cmpf ogt, %{{.*}}, %[[LOW]]
// CHECK: %[[L:.*]] = arith.select %[[A]], %{{.*}}, %[[LOW]]
// CHECK: %[[HIGH:.*]] = arith.constant dense<1.240000e+02>
// CHECK: %[[MAGIC:.*]] = arith.constant dense<0x4B400000>
// CHECK-NOT: roundeven
// CHECK: %[[B:.*]] = arith.cmpf ogt, %[[L]], %[[HIGH]]
// CHECK: %[[H:.*]] = arith.select %[[B]], %[[HIGH]], %[[L]]
// CHECK: %[[S:.*]] = arith.addf %[[H]], %[[MAGIC]]
// CHECK: %[[I:.*]] = arith.bitcast %[[S]] : vector<16xf32> to vector<16xi32>
// CHECK: %[[Z:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK: %[[Q:.*]] = arith.trunci %[[Z]] : vector<16xi32> to vector<16xi8>
// CHECK: %[[F:.*]] = arith.subf %[[S]], %{{.*}} : vector<16xf32>
// CHECK-NOT: arith.sitofp
// CHECK: return %[[Q]], %[[F]]
func.func @byte(%x: vector<16xf32>) -> (vector<16xi8>, vector<16xf32>) {
  %zero = arith.constant dense<131.0> : vector<16xf32>
  %low = arith.constant dense<0.0> : vector<16xf32>
  %high = arith.constant dense<255.0> : vector<16xf32>
  %less = arith.constant dense<131> : vector<16xi32>
  %r = math.roundeven %x : vector<16xf32>
  %z = arith.addf %r, %zero : vector<16xf32>
  %a = arith.cmpf ogt, %z, %low : vector<16xf32>
  %l = arith.select %a, %z, %low : vector<16xi1>, vector<16xf32>
  %b = arith.cmpf ogt, %l, %high : vector<16xf32>
  %h = arith.select %b, %high, %l : vector<16xi1>, vector<16xf32>
  %q = arith.fptoui %h : vector<16xf32> to vector<16xi8>
  %w = arith.extui %q : vector<16xi8> to vector<16xi32>
  %d = arith.subi %w, %less : vector<16xi32>
  %f = arith.sitofp %d : vector<16xi32> to vector<16xf32>
  return %q, %f : vector<16xi8>, vector<16xf32>
}

// -----

// A quotient by a constant is a product with its reciprocal, and a correction by the
// remainder.
// CHECK-LABEL: func @quotient
// CHECK: %[[N:.*]] = arith.select
// CHECK: %[[M:.*]] = arith.select
// CHECK: %[[Q:.*]] = arith.mulf %[[M]], %[[I:.*]] : f32
// CHECK: %[[R:.*]] = math.fma %[[Q]], %{{.*}}, %[[M]] : f32
// CHECK: %[[E:.*]] = math.fma %[[R]], %[[I]], %[[Q]] : f32
// CHECK: arith.addf %[[E]]
// CHECK: arith.trunci
func.func @quotient(%x: f32) -> i8 {
  %scale = arith.constant 0.3 : f32
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %y = arith.divf %x, %scale : f32
  %r = math.roundeven %y : f32
  %a = arith.cmpf ogt, %r, %low : f32
  %l = arith.select %a, %r, %low : f32
  %b = arith.cmpf ogt, %l, %high : f32
  %h = arith.select %b, %high, %l : f32
  %q = arith.fptoui %h : f32 to i8
  return %q : i8
}

// -----

// A value that is not clipped to bytes, or not rounded, keeps its conversion.
// CHECK-LABEL: func @other
// CHECK: arith.fptoui
// CHECK: arith.fptoui
func.func @other(%x: f32) -> (i8, i8) {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 15.0 : f32
  %most = arith.constant 255.0 : f32
  %r = math.roundeven %x : f32
  %a = arith.cmpf ogt, %r, %low : f32
  %l = arith.select %a, %r, %low : f32
  %b = arith.cmpf ogt, %l, %high : f32
  %h = arith.select %b, %high, %l : f32
  %q = arith.fptoui %h : f32 to i8
  %c = arith.cmpf ogt, %x, %low : f32
  %m = arith.select %c, %x, %low : f32
  %d = arith.cmpf ogt, %m, %most : f32
  %n = arith.select %d, %most, %m : f32
  %p = arith.fptoui %n : f32 to i8
  return %q, %p : i8, i8
}

// -----

// Without an instruction for it, integers round to nearest even and keep NaNs quiet.
// The instruction of AVX-512 would flush denormals to zero.
// CHECK-LABEL: func @rounded
// CHECK: %[[BITS:.*]] = arith.bitcast %arg0 : vector<8xf32> to vector<8xi32>
// CHECK: arith.constant dense<32767> : vector<8xi32>
// CHECK: arith.cmpf uno, %arg0, %arg0
// CHECK: %[[QUIET:.*]] = arith.constant dense<4194304> : vector<8xi32>
// CHECK: arith.ori %[[BITS]], %[[QUIET]]
// CHECK: arith.select
// CHECK: arith.bitcast %{{.*}} : vector<8xi16> to vector<8xbf16>
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @rounded(%x: vector<8xf32>, %y: f32) -> (vector<8xbf16>, f16) {
  %b = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  %h = arith.truncf %y : f32 to f16
  return %b, %h : vector<8xbf16>, f16
}

// -----

// CHECK-LABEL: func @flushes
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci
module attributes {weir.target = #weir.target<features = "+avx512f,+avx512bf16">} {
  func.func @flushes(%x: vector<8xf32>) -> vector<8xbf16> {
    %b = arith.truncf %x : vector<8xf32> to vector<8xbf16>
    return %b : vector<8xbf16>
  }
}

// -----

// CHECK-LABEL: func @instruction
// CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
module attributes {weir.target = #weir.target<triple = "aarch64-linux-gnu", features = "+neon,+bf16", vector_bits = 128>} {
  func.func @instruction(%x: vector<8xf32>) -> vector<8xbf16> {
    %b = arith.truncf %x : vector<8xf32> to vector<8xbf16>
    return %b : vector<8xbf16>
  }
}
