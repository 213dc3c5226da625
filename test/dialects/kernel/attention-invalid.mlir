// RUN: weir-opt %s -split-input-file -verify-diagnostics

func.func @attention_c1_rows(%q: memref<3x8xf32>, %k: memref<8x6xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{cannot make 'memref<4x5xf32>' of rows of 'memref<3x8xf32>'}}
  kernel.attention ins(%q, %k, %v : memref<3x8xf32>, memref<8x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c1_transposed(%q: memref<4x8xf32>, %k: memref<8x6xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{cannot make 'memref<4x5xf32>' of rows of 'memref<4x8xf32>'}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>) attributes {transpose_q} scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c2_depth(%q: memref<4x8xf32>, %k: memref<7x6xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{has weights of 'memref<7x6xf32>', but #kernel.layout<plain> of them is [8, 6]}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<7x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c2_columns(%q: memref<4x8xf32>, %k: memref<8x7xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{has weights of 'memref<8x7xf32>', but #kernel.layout<plain> of them is [8, 6]}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x7xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c2_panels(%q: memref<4x8xf32>, %k: memref<2x8x16xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{has weights of 'memref<2x8x16xf32>', but #kernel.layout<panels(16)> of them is [1, 8, 16]}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<2x8x16xf32>, memref<6x5xf32>) k_layout <panels(16)> outs(%c : memref<4x5xf32>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c2_width(%q: memref<4x8xf32>, %k: memref<8x6xf32>, %v: memref<6x4xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{has weights of 'memref<6x4xf32>', but #kernel.layout<plain> of them is [6, 5]}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x6xf32>, memref<6x4xf32>) outs(%c : memref<4x5xf32>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c2_layout(%q: memref<4x8xf32>, %k: memref<8x6xf32>, %v: memref<6x4xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{cannot use weights of 'memref<6x4xf32>' in #kernel.layout<pairing>}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x6xf32>, memref<6x4xf32>) v_layout <pairing> outs(%c : memref<4x5xf32>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c2_wider(%q: memref<4x8xf16>, %k: memref<8x6xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{cannot multiply 'f16' by 'f32' in 'f32'}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf16>, memref<8x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c3_integers(%q: memref<4x8xi32>, %k: memref<8x6xi32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{cannot multiply 'i32' by 'i32' in 'f32'}}
  kernel.attention ins(%q, %k, %v : memref<4x8xi32>, memref<8x6xi32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c3_softmax(%q: memref<4x8xf32>, %k: memref<8x6xf32>, %v: memref<6x5xf64>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf64>) {
  // expected-error@+1 {{cannot add up a softmax of 'f32' in 'f64'}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x6xf32>, memref<6x5xf64>) outs(%c : memref<4x5xf64>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f64):
    kernel.yield %w : f64
  } epilogue {
  ^bb0(%sum: f64):
    kernel.yield %sum : f64
  }
  return
}

// -----

func.func @attention_c3_extras(%q: memref<4x8xf32>, %k: memref<8x6xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{epilogue takes 1 values, not 2}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x6xf32>, memref<6x5xf32>) score_extras(%e : memref<6xf32>) outs(%c : memref<4x5xf32>) attributes {score_maps = [affine_map<(d0, d1) -> (d1)>]} scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c3_maps(%q: memref<4x8xf32>, %k: memref<8x6xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{cannot read 'memref<6xf32>' by affine_map<(d0, d1) -> (d0)>}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x6xf32>, memref<6x5xf32>) score_extras(%e : memref<6xf32>) outs(%c : memref<4x5xf32>) attributes {score_maps = [affine_map<(d0, d1) -> (d0)>]} scores {
  ^bb0(%sum: f32, %x: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c3_result(%q: memref<4x8xf32>, %k: memref<8x6xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf64>) {
  // expected-error@+1 {{epilogue does not yield an element of 'memref<4x5xf64>'}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf64>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_c4(%q: memref<4x8xf32>, %k: memref<8x6xf32>, %v: memref<6x5xf32>, %n: memref<i32>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{has a number of terms of type 'memref<i32>'}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x6xf32>, memref<6x5xf32>) columns(%n : memref<i32>) outs(%c : memref<4x5xf32>) scores {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}

// -----

func.func @attention_no_function(%q: memref<4x8xf32>, %k: memref<8x6xf32>, %v: memref<6x5xf32>, %n: memref<i64>, %e: memref<6xf32>, %c: memref<4x5xf32>) {
  // expected-error@+1 {{has a region that is no scalar function}}
  kernel.attention ins(%q, %k, %v : memref<4x8xf32>, memref<8x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>) scores {
  ^bb0:
    %sum = arith.constant 0.0 : f32
    kernel.yield %sum : f32
  } weights {
  ^bb0(%w: f32):
    kernel.yield %w : f32
  } epilogue {
  ^bb0(%sum: f32):
    kernel.yield %sum : f32
  }
  return
}
