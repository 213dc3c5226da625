// RUN: weir-opt %s --split-input-file --weir-check-transfers --verify-diagnostics

// Four ranks, two of which add a tensor, and then gather it.
module attributes {weir.arena_bytes = 128 : i64, weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [2, 2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "s">,
    #weir.collective<kind = "all_gather", axes = 2, type = tensor<4xf32>, data = 16, node = "g">,
    #weir.collective<kind = "own_part", axes = 2, type = tensor<4xf32>, data = 16, node = "p">]} {}

// -----

// expected-error@below {{node 's': collective 0 (all_reduce): its data and its scratch memory share byte 8 of the arena}}
module attributes {weir.arena_bytes = 128 : i64, weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 8, node = "s">]} {}

// -----

// expected-error@below {{node 'g': collective 1 (all_gather): its bytes end after the arena's 64}}
module attributes {weir.arena_bytes = 64 : i64, weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 16, node = "s">,
    #weir.collective<kind = "all_gather", axes = 1, type = tensor<4xf32>, data = 48, node = "g">]} {}
