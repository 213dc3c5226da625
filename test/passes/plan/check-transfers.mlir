// RUN: weir-opt %s --split-input-file --weir-check-transfers --verify-diagnostics

// Four ranks, two of which add a tensor, and then gather it.
module attributes {weir.arena_bytes = 128 : i64, weir.mesh = #weir.mesh<axes = ["data", "model"], sizes = [2, 2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "s">,
    #weir.collective<kind = "all_gather", axes = 2, type = tensor<4xf32>, data = 16, node = "g">,
    #weir.collective<kind = "own_part", axes = 2, type = tensor<4xf32>, data = 16, node = "p">]} {}

// -----

// Two are in the air together. The second function begins when none is.
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [3]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "a">,
    #weir.collective<axes = 1, type = tensor<4xf32>, data = 128, scratch = 192, node = "b">,
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "c", entry = 1>],
    weir.schedule = [#weir.schedule_item<kind = "start">, #weir.schedule_item<tasks = 1>,
    #weir.schedule_item<kind = "start", collective = 1>, #weir.schedule_item<kind = "progress">,
    #weir.schedule_item<kind = "wait">, #weir.schedule_item<kind = "wait", collective = 1>,
    #weir.schedule_item<kind = "start", entry = 1, collective = 2>, #weir.schedule_item<kind = "wait", entry = 1, collective = 2>]} {}

// -----

// expected-error@below {{node 'b': collective 1 (all_reduce): it begins before collective 0 ends, and both use byte 72 of the arena}}
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "a">,
    #weir.collective<axes = 1, type = tensor<4xf32>, data = 72, scratch = 192, node = "b">],
    weir.schedule = [#weir.schedule_item<kind = "start">, #weir.schedule_item<kind = "start", collective = 1>,
    #weir.schedule_item<kind = "wait">, #weir.schedule_item<kind = "wait", collective = 1>]} {}

// -----

// expected-error@below {{node 'a': collective 0 (all_reduce): ranks wait for it before it begins}}
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "a">],
    weir.schedule = [#weir.schedule_item<kind = "wait">, #weir.schedule_item<kind = "start">]} {}

// -----

// expected-error@below {{node 'a': collective 0 (all_reduce): it begins a second time before it ends}}
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "a">],
    weir.schedule = [#weir.schedule_item<kind = "start">, #weir.schedule_item<kind = "start">]} {}

// -----

// expected-error@below {{node 'a': collective 0 (all_reduce): no rank waits for it}}
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "a">],
    weir.schedule = [#weir.schedule_item<kind = "start">, #weir.schedule_item<tasks = 1, entry = 1>]} {}

// -----

// expected-error@below {{node 'a': collective 0 (all_reduce): it is of another function than its schedule}}
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "a">],
    weir.schedule = [#weir.schedule_item<kind = "start", entry = 1>]} {}

// -----

// expected-error@below {{the schedule has collective 3 of 1}}
module attributes {weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 64, node = "a">],
    weir.schedule = [#weir.schedule_item<kind = "start", collective = 3>]} {}

// -----

// expected-error@below {{node 's': collective 0 (all_reduce): its data and its scratch memory share byte 8 of the arena}}
module attributes {weir.arena_bytes = 128 : i64, weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 8, node = "s">]} {}

// -----

// expected-error@below {{node 'g': collective 1 (all_gather): its bytes end after the arena's 64}}
module attributes {weir.arena_bytes = 64 : i64, weir.mesh = #weir.mesh<axes = ["data"], sizes = [2]>, weir.collectives = [
    #weir.collective<axes = 1, type = tensor<4xf32>, scratch = 16, node = "s">,
    #weir.collective<kind = "all_gather", axes = 1, type = tensor<4xf32>, data = 48, node = "g">]} {}
