// The options of `weir`, once: parsing, help and suggestions come from here.

include "llvm/Option/OptParser.td"

class F<string name, string help> : Flag<["--"], name>, HelpText<help>;
multiclass Eq<string name, string meta, string help> {
  def NAME #_EQ : Joined<["--"], name#"=">, HelpText<help>, MetaVarName<meta>;
  def : Separate<["--"], name>, Alias<!cast<Option>(NAME #_EQ)>;
}

// The commands that accept an option, and its subject: a model, so not IR that
// weir reads, or a product, so not IR that weir prints. OptionTable.h has the
// same names. --help leaves out options with HelpHidden, --help-all has them.
def ForCompile : OptionVisibility;
def ForPartition : OptionVisibility;
def ForInspect : OptionVisibility;
def ForReference : OptionVisibility;
def ForDiff : OptionVisibility;
// --a and --b of weir diff accept it.
def ForSide : OptionVisibility;
def OfModel : OptionFlag;
def OfProduct : OptionFlag;

// Help.cpp has the order of the groups.
class Titled<string title> : OptionGroup<title>, HelpText<title>;
def g_input : Titled<"Input">;
def g_shapes : Titled<"Shapes">;
def g_functions : Titled<"Functions and operators">;
def g_values : Titled<"Values">;
def g_sides : Titled<"Sides">;
def g_tolerances : Titled<"Tolerances">;
def g_output : Titled<"Output">;
def g_target : Titled<"Target">;
def g_run : Titled<"Threads and memory">;
def g_ranks : Titled<"Ranks">;
def g_training : Titled<"Training">;
def g_gpu : Titled<"GPU">;
def g_reports : Titled<"Reports">;
def g_debug : Titled<"Debug">;
def g_help : Titled<"Help">;

let Visibility = [ForCompile, ForPartition, ForInspect, ForReference, ForDiff], Group = g_help in {
def help : F<"help", "Print the common options">;
def help_all : F<"help-all", "Print all options">;
def h : Flag<["-"], "h">, Alias<help>;
def version : F<"version", "Print the version, the commit and the targets">;
}

let Visibility = [ForCompile, ForPartition], Group = g_output in {
def o : JoinedOrSeparate<["-"], "o">, MetaVarName<"PATH">,
        HelpText<"Write the product to PATH. Its ending chooses the kind: .so, .a, .o, .ll, .s, .mlir, .ptx, .onnx, or none for an executable. - is standard output, for text">;
defm output : Eq<"output", "PATH", "The same as -o">;
}
let Visibility = [ForCompile], Group = g_output in {
defm emit : Eq<"emit", "KIND", "Choose the kind of product: shared, static, obj, exe, llvm, asm, mlir, ptx, graph, plan or onnx">;
}
let Visibility = [ForCompile, ForPartition, ForSide], Group = g_output in {
defm weights_budget : Eq<"weights-budget", "FACTOR|none", "Limit the weights to FACTOR times the bytes of the model's (default: 1.25); none stores what the fastest kernels read">;
}
let Visibility = [ForCompile], Flags = [OfProduct], Group = g_output in {
defm header : Eq<"header", "PATH", "Write a header for the library: .h is C, .hpp adds a C++17 class">;
defm cpp_class : Eq<"cpp-class", "NS::NAME", "Name the C++ class of the header">;
defm prefix : Eq<"prefix", "NAME", "Begin C symbols with NAME (default: the output's name)">;
defm weights : Eq<"weights", "embed|file", "Put the weights into the product (default), or into a file beside it">;
}
let Visibility = [ForCompile], Flags = [HelpHidden], Group = g_output in {
def MD : Flag<["-"], "MD">,
         HelpText<"Write a depfile for make and ninja, which names all files that the compilation reads">;
def MF : JoinedOrSeparate<["-"], "MF">, MetaVarName<"FILE">,
         HelpText<"Write the depfile to FILE (default: the output's name with the ending .d)">;
def MT : JoinedOrSeparate<["-"], "MT">, MetaVarName<"TARGET">,
         HelpText<"Set the target of the depfile's rule (default: the output). May be repeated">;
}

let Visibility = [ForCompile, ForPartition, ForInspect, ForReference, ForDiff], Flags = [OfModel], Group = g_input in {
defm signature : Eq<"signature", "NAME", "Compile this signature of a SavedModel">;
def all_signatures : F<"all-signatures", "Compile all signatures of a SavedModel">;
defm feed : Eq<"feed", "NAME[:DIMSxTYPE]", "Make a tensor of the model an input, as in x:1x224x224x3xf32. May be repeated">;
defm fetch : Eq<"fetch", "NAME", "Make a tensor of the model an output. May be repeated">;
defm value : Eq<"value", "INPUT=VALUE", "Make an input a constant: numbers with commas, one number for all elements, or @FILE.npy. May be repeated">;
}
let Visibility = [ForCompile, ForPartition, ForInspect, ForReference, ForDiff], Flags = [OfModel, HelpHidden], Group = g_input in {
defm tags : Eq<"tags", "LIST", "Choose the graph of a SavedModel by its tags (default: serve)">;
defm checkpoint : Eq<"checkpoint", "PATH", "Read the variables of a TensorFlow model from the checkpoint PATH.index">;
defm config : Eq<"config", "FILE", "Read feeds and fetches from a tf2xla.Config, as tfcompile does">;
defm target_node : Eq<"target-node", "NODE", "Run this node, even if no output needs it. May be repeated">;
}

let Visibility = [ForCompile, ForPartition, ForInspect, ForReference, ForDiff], Flags = [OfModel], Group = g_shapes in {
defm shape : Eq<"shape", "NAME=DIMS", "Set the shape of an input, as in x=1x224x224x3. x=batch,?,3 names one dimension and keeps two of them dynamic. May be repeated">;
defm dim : Eq<"dim", "NAME=LOW..HIGH", "Set the range of a dynamic dimension, as in batch=1..64, or its size, as in batch=8. x.0 is dimension 0 of input x. May be repeated">;
}
let Visibility = [ForCompile, ForInspect, ForReference, ForDiff], Flags = [OfModel, HelpHidden], Group = g_shapes in {
defm specialize : Eq<"specialize", "NAME:SIZE,...", "Add faster code for sizes up to each SIZE of a dynamic dimension, as in batch:1,8 (default: powers of two, for a model with one dynamic dimension)">;
defm bound : Eq<"bound", "ELEMENTS", "Set the maximum number of elements of a tensor whose size depends on data and has no other bound (default: 1048576)">;
}

let Visibility = [ForCompile, ForInspect, ForReference, ForDiff], Flags = [OfModel], Group = g_functions in {
defm state : Eq<"state", "INPUT=OUTPUT,...", "Keep an input in the context between runs, as a KV cache. It starts at zero and becomes OUTPUT after each run. May be repeated">;
defm variant : Eq<"variant", "NAME:DIM=RANGE,...", "Add a function with other ranges than --dim, as in step:length=1 for single tokens. May be repeated">;
defm ops : Eq<"ops", "FILE", "Define operators that weir lacks by functions of an ONNX file or a GraphDef. May be repeated">;
defm custom_op : Eq<"custom-op", "OP=SYMBOL[,KEY=VALUE,...]", "Compute an operator by a C function. KEY is shape, type, parts or scratch: see docs/custom.md">;
}
let Visibility = [ForCompile, ForPartition, ForInspect, ForReference, ForDiff], Flags = [OfModel, HelpHidden], Group = g_functions in {
defm entry : Eq<"entry", "NAME:FETCH,...;NODE,...", "Add a function with these outputs, which also runs these nodes. May be repeated">;
}
let Visibility = [ForCompile, ForSide], Flags = [OfProduct], Group = g_functions in {
defm custom_object : Eq<"custom-object", "FILE", "Link an object or an archive with the functions of --custom-op. May be repeated">;
}

let Visibility = [ForReference, ForDiff], Group = g_values in {
defm function : Eq<"function", "NAME", "Evaluate this function (default: serving_default or the first)">;
defm input : Eq<"input", "NAME=VALUE", "Set an input: @FILE.npy, 2x3xf32=1,2,3,4,5,6, or numbers for its own shape and type. May be repeated">;
defm input_dir : Eq<"input-dir", "DIR", "Read the other inputs from DIR/NAME.npy. The names are those of weir-run: _ for / and :, or %2F and %3A if two inputs would have one file">;
defm random : Eq<"random", "SEED", "Set the other inputs to random numbers, those of weir-run. SEED is from 0 to 2^63-1">;
}
let Visibility = [ForReference], Group = g_values in {
defm output_dir : Eq<"output-dir", "DIR", "Write each output to DIR/NAME.npy, as weir-run does: _ stands for / and :. Creates DIR">;
defm node_dir : Eq<"node-dir", "DIR", "Write the value of each node to DIR/NODE.npy, likewise. The nodes of a function have the name of the call before theirs: call/conv1. All values stay in memory">;
def f64 : F<"f64", "Write floats as f64, without rounding to their types">;
defm errors : Eq<"errors", "RUNS", "Also write DIR/NAME.error.npy: how far RUNS runs with random rounding errors are from each element, as a root mean square">;
def coverage : F<"coverage", "List the ops of the graph dialect and whether they are evaluated; no model is needed">;
}
let Visibility = [ForReference, ForDiff], Flags = [HelpHidden], Group = g_values in {
defm max_steps : Eq<"max-steps", "N", "Limit the number of ops and of rounds of loops that run (default: 2^32)">;
}

let Visibility = [ForDiff], Group = g_sides in {
defm a : Eq<"a", "FLAGS", "Compile side A with these options of weir compile, such as '-O0 -mcpu=x86-64'. Options of the model, of products and of reports have no use here">;
defm b : Eq<"b", "FLAGS", "Compile the model with these options as side B (default: the f64 reference is side B)">;
defm against : Eq<"against", "DIR", "Read side B from DIR/NAME.npy, with _ for / and : of a tensor's name">;
defm library : Eq<"library", "FILE.so", "Run this library, whose outputs are side B">;
}
let Visibility = [ForDiff], Group = g_tolerances in {
defm ulp : Eq<"ulp", "N", "Accept floats of a distance of N units in the last place. 0 accepts equal numbers only">;
defm rtol : Eq<"rtol", "R", "Accept |a - b| <= A + R * |b|, where A is that of --atol (default: 0)">;
defm atol : Eq<"atol", "A", "Accept |a - b| <= A + R * |b|, where R is that of --rtol (default: 0)">;
}

let Visibility = [ForPartition], Group = g_ranks in {
defm cluster : Eq<"cluster", "FILE", "Read the tasks of the cluster from FILE: TensorFlow's ClusterSpec in JSON, as in {\"worker\": [\"node1:2222\"]}">;
}
let Visibility = [ForCompile], Group = g_ranks in {
defm bucket : Eq<"bucket", "BYTES", "Exchange small gradients together, in buckets of at least BYTES (default: 4M). K, M and G stand for powers of 1024. 0 exchanges each gradient alone">;
defm mesh : Eq<"mesh", "AXIS=N,...", "Compile a library that N ranks run together. With the axis data each rank computes its part of the batch">;
defm shard : Eq<"shard", "REGEX:DIM@AXIS,...", "Divide the dimension DIM of variables, constants and inputs whose name matches among the ranks of an axis. If none matches, divide the results of nodes. REGEX:@ keeps them whole. The last match wins. May be repeated">;
defm parallel : Eq<"parallel", "attention", "Divide the heads of attention, and the columns of the first of two products, among the ranks of an axis of --mesh other than data">;
defm shard_state : Eq<"shard-state", "AXIS", "Divide the state of the optimizer among the ranks of an axis, such as data. A step exchanges as many bytes as without it">;
defm grains : Eq<"grains", "G", "Divide the batch into G micro-batches and add them by one tree: a power of two of ranks that divides G does not change the bits. Takes more code and memory">;
defm configuration : Eq<"configuration", "NAME", "Compile for the devices of this configuration of an ONNX model, one rank for each (default: its only one). Without a name: for one rank">;
defm reshard : Eq<"reshard", "HOW", "How to report collectives that no division of the batch needs: remark (default), error or silent">;
}

let Visibility = [ForCompile, ForPartition, ForInspect], Flags = [OfModel], Group = g_training in {
defm grad : Eq<"grad", "LOSS:VAR,...", "Add the function 'gradients': the gradients of sum(LOSS) by each VAR. --fetch and --entry may name gradients/VAR. May be repeated">;
defm loss : Eq<"loss", "KIND:OUTPUT[,LABELS]", "Add the functions 'loss' and 'train_step'. KIND is mean_squared_error, softmax_cross_entropy, sparse_softmax_cross_entropy, sigmoid_cross_entropy, huber, hinge or log_cosh. --loss=TENSOR takes a tensor of the model as the loss">;
defm optimizer : Eq<"optimizer", "NAME[:KEY=VALUE,...]", "Choose the optimizer: GradientDescent (default), Momentum, RMSProp, Adagrad, AdagradDA, Adadelta, Adam, AdamW, AdaMax, Ftrl or LAMB. lr=input makes the learning rate an input">;
defm train_vars : Eq<"train-vars", "REGEX", "Train only variables whose name matches (default: all). Constants of a frozen graph and ONNX initializers count as variables">;
defm freeze : Eq<"freeze", "REGEX", "Do not train variables whose name matches">;
}
let Visibility = [ForCompile, ForPartition, ForInspect], Flags = [OfModel, HelpHidden], Group = g_training in {
defm init : Eq<"init", "KIND[:seed=N][:REGEX]", "Initialize variables without values: zeros, ones, glorot_uniform (default), glorot_normal, he_uniform or he_normal">;
defm clip : Eq<"clip", "KIND=X", "Clip gradients by value=X, norm=X or global_norm=X">;
defm accumulate : Eq<"accumulate", "N", "Update variables once in N steps, by the mean of N gradients">;
defm loss_scale : Eq<"loss-scale", "X|dynamic[:X[,STEPS]]", "Scale the loss for gradients of f16. A dynamic scale starts at X (default: 32768), is divided by 2 on overflow and doubles after STEPS (default: 2000)">;
defm master_weights : Eq<"master-weights", "f32|none", "Keep f32 copies of 16-bit variables (default: f32)">;
defm weight_decay : Eq<"weight-decay", "RATE[:REGEX]", "Decay variables: decoupled for AdamW and LAMB, in the gradient for other optimizers">;
}

let Visibility = [ForCompile, ForPartition, ForInspect, ForSide], Group = g_target in {
def mcpu : Joined<["-"], "mcpu=">, MetaVarName<"NAME">,
           HelpText<"Compile for this processor: native (default), x86-64-v3, ... -mcpu=help lists them">;
def mattr : Joined<["-"], "mattr=">, MetaVarName<"LIST">,
            HelpText<"Add or remove processor features, as in +avx512f,-fma">;
defm target : Eq<"target", "TRIPLE", "Compile for another target, as in aarch64-linux-gnu">;
}
let Visibility = [ForCompile, ForSide], Group = g_target in {
defm multiversion : Eq<"multiversion", "LIST", "Compile for several instruction sets; the library chooses at create. LIST has any of x86-64, x86-64-v2, x86-64-v3, x86-64-v4 and amx">;
}
let Visibility = [ForCompile, ForPartition, ForSide], Flags = [HelpHidden], Group = g_target in {
defm precision : Eq<"precision", "f32|bf16x3|tf32", "Choose the precision of f32 products: f32 (default), bf16x3 (AMX, 16 bits, half the time) or tf32 (GPU, 10 bits of the fraction)">;
defm fast_math : Eq<"fast-math", "LIST", "Allow less exact arithmetic: none (default), or any of contract, reassoc, nnan, nsz, arcp, afn and fast, as LLVM defines them">;
def O : JoinedOrSeparate<["-"], "O">, MetaVarName<"LEVEL">,
        HelpText<"Set the optimization level, 0 to 3 (default: 2)">;
}

let Visibility = [ForCompile, ForPartition, ForSide], Group = g_run in {
defm threads : Eq<"threads", "N|extern", "Run on N threads of the library (default: 1), or on the caller's threads">;
}
let Visibility = [ForCompile, ForSide], Flags = [HelpHidden], Group = g_run in {
defm remat : Eq<"remat", "BYTES", "Recompute values so that the arena has at most BYTES. K, M and G stand for powers of 1024">;
}
let Visibility = [ForCompile, ForPartition, ForInspect, ForReference, ForDiff, ForSide], Flags = [HelpHidden], Group = g_run in {
defm max_memory : Eq<"max-memory", "BYTES", "Limit the memory of the compiler; beyond the limit it exits with status 75 (default: 1 GiB plus 8 times the size of the model's files)">;
}

let Visibility = [ForCompile, ForSide], Group = g_gpu in {
defm gpu : Eq<"gpu", "KIND", "Run kernels on a GPU: cuda, or sim, a simulator for tests">;
defm gpu_arch : Eq<"gpu-arch", "LIST", "Choose GPU architectures, as in sm_80,sm_90 (default: sm_80). Other GPUs compile the PTX of the first when a context is created. sm_90a runs on Hopper only and needs a library of its own">;
}
let Visibility = [ForCompile, ForSide], Flags = [HelpHidden], Group = g_gpu in {
defm use_lib : Eq<"use-lib", "WHICH", "Call GPU libraries: none (default), auto (where they are faster), cublaslt, cudnn, or cublaslt,cudnn (wherever they can). They must be installed where the model runs">;
defm place : Eq<"place", "REGEX:cpu|gpu", "Place nodes whose name matches. The last match wins, also over the model's devices. May be repeated">;
}

let Visibility = [ForCompile], Group = g_reports in {
defm report : Eq<"report", "FILE.json|FILE.html", "Write a report: the graph, fused groups, kernels and their schedules, memory, order of tasks and compile time. FILE.html is a page for a browser">;
defm report_profile : Eq<"report-profile", "FILE.json", "Show the times of a run in the report. FILE is from weir-run --profile=FILE, with a library of the same options">;
}
let Visibility = [ForCompile, ForSide], Group = g_reports in {
defm schedule : Eq<"schedule", "FILE.json", "Fix parameters of kernels' schedules, such as register tiles. FILE is JSON: entries of --report, or written by hand">;
def profile : F<"profile", "Compile a library that counts the calls and the time of each kernel, for weir-run --profile and --trace">;
}
let Visibility = [ForCompile], Group = g_reports in {
defm remarks : Eq<"remarks", "REGEX", "Print decisions of matching kinds: training, fusion, kernels (with their schedules), memory, schedule (order of tasks)">;
}
let Visibility = [ForCompile, ForPartition], Group = g_reports in {
def v : Flag<["-"], "v">, HelpText<"Print a line for each stage">;
def : F<"verbose", "The same as -v">, Alias<v>;
def q : Flag<["-"], "q">, HelpText<"Do not show progress">;
def : F<"quiet", "The same as -q">, Alias<q>;
}
let Visibility = [ForCompile, ForPartition], Flags = [HelpHidden], Group = g_reports in {
defm progress : Eq<"progress", "SECONDS", "Show progress on a terminal after SECONDS (default: 2)">;
}
let Visibility = [ForCompile, ForInspect], Flags = [OfProduct], Group = g_reports in {
defm tensorboard : Eq<"tensorboard", "DIR", "Write the graph after the stage graph into DIR, for TensorBoard; inspect also writes that after the import, each into a folder in DIR">;
}
let Visibility = [ForInspect, ForReference, ForDiff], Group = g_reports in {
def json : F<"json", "Print JSON">;
}
let Visibility = [ForDiff], Group = g_reports in {
def first : F<"first", "Stop at the first difference">;
def bisect : F<"bisect", "Name the kernel of the first node that is wrong, and the pass that introduces the difference">;
defm reduce : Eq<"reduce", "FILE.mlir", "Write the first node that is wrong as a program of its own, its operands to the folder FILE.inputs and its result on side B to FILE.outputs">;
}
let Visibility = [ForInspect], Group = g_reports in {
def nodes : F<"nodes", "List nodes with their tensors, shapes and multiply-adds">;
def tensors : F<"tensors", "List weights with their shapes, bytes and ranges">;
def plan : F<"plan", "List the steps of a run and the buffers in the arena">;
def dot : F<"dot", "Print the graph in the DOT language of Graphviz">;
def list_ops : F<"list-ops", "List the operators of all frontends; no model is needed">;
}

let Visibility = [ForCompile, ForPartition], Group = g_debug in {
defm stop_after : Eq<"stop-after", "STAGE", "Print the IR after a stage, or end with it for --emit=onnx: import, train, graph, grad, place (with --gpu), fuse, lower, bufferize, schedule, cpu, gpu (with --gpu), plan, loops, launch (with --gpu), convert and entry">;
}
let Visibility = [ForCompile, ForDiff], Flags = [OfModel], Group = g_debug in {
defm keep : Eq<"keep", "REGEX", "Also return the results of nodes whose whole name matches, such as conv1/.*">;
}
let Visibility = [ForCompile], Group = g_debug in {
defm check : Eq<"check", "LIST", "End a run at the first fault: nan (a node makes a NaN or an infinity from finite numbers), shape (a size is not what the model declares), bounds (a kernel reads or writes outside of a buffer). LIST has one or more of them, with commas">;
}
let Visibility = [ForCompile], Group = g_debug in {
defm kernel : Eq<"kernel", "NAME", "Print a kernel instead of a product: its IR after each stage, LLVM IR, assembly and costs by llvm-mca. NAME is a kernel (kernel_3), a node or a regular expression. --stop-after=STAGE prints one stage">;
}
let Visibility = [ForCompile], Flags = [OfProduct], Group = g_debug in {
def debug_names : F<"debug-names", "Give kernels symbols with their nodes' names, as in 'conv1/Relu [kernel_7]', for perf and debuggers">;
}
let Visibility = [ForCompile], Flags = [OfProduct], Group = g_debug in {
def g : Flag<["-"], "g">, HelpText<"Write line tables (DWARF) for gdb and perf annotate. They refer to the IR of kernels, in NAME.kernels.mlir beside the product">;
defm debug_dir : Eq<"debug-dir", "DIR", "Write the IR of -g to DIR, which the line tables name (default: the product's folder, and the tables name none)">;
}
let Visibility = [ForCompile], Flags = [HelpHidden], Group = g_debug in {
defm print_ir_after : Eq<"print-ir-after", "PASS", "Print the IR after this pass, as weir-emit-kernels or cse; with --kernel, that of the kernel alone. May be repeated">;
}
let Visibility = [ForCompile, ForSide], Flags = [HelpHidden], Group = g_debug in {
defm pass_limit : Eq<"pass-limit", "N|all", "Skip optional passes after their first N runs, and print each run. Bisect N to find the pass that introduces a fault">;
}
let Visibility = [ForCompile], Flags = [HelpHidden], Group = g_debug in {
defm time_trace : Eq<"time-trace", "FILE.json", "Write a trace of the compiler itself: stages, passes and LLVM's threads, for Perfetto and chrome://tracing">;
def timing : F<"timing", "Print the time of each pass">;
}
let Visibility = [ForCompile, ForPartition, ForInspect, ForReference, ForDiff], Flags = [HelpHidden], Group = g_debug in {
def trust_bytecode : F<"trust-bytecode", "Accept MLIR bytecode. MLIR does not validate it, so use trusted files only">;
}
