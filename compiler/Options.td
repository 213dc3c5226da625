// The options of `weir`, once: parsing, help and suggestions come from here.

include "llvm/Option/OptParser.td"

class F<string name, string help> : Flag<["--"], name>, HelpText<help>;
multiclass Eq<string name, string meta, string help> {
  def NAME #_EQ : Joined<["--"], name#"=">, HelpText<help>, MetaVarName<meta>;
  def : Separate<["--"], name>, Alias<!cast<Option>(NAME #_EQ)>;
}

// Which commands an option goes with, and what it is of: a model, and so not of
// IR that is read, or a product, and so not of IR that is printed. OptionTable.h
// has the same names.
def ForCompile : OptionVisibility;
def ForInspect : OptionVisibility;
def OfModel : OptionFlag;
def OfProduct : OptionFlag;

let Visibility = [ForCompile, ForInspect] in {
def help : F<"help", "Print this help">;
def h : Flag<["-"], "h">, Alias<help>;
def version : F<"version", "Print the version">;
}

let Visibility = [ForCompile] in {
def o : JoinedOrSeparate<["-"], "o">, MetaVarName<"PATH">,
        HelpText<"Where the product goes; unless --emit says the kind, the name does: .so, .a, .o, .ll, .mlir, .ptx, or no ending for an executable. Text may go to -, stdout">;
defm emit : Eq<"emit", "KIND", "shared, static, obj, exe, llvm, mlir, ptx, graph or plan">;
}
let Visibility = [ForCompile], Flags = [OfProduct] in {
defm header : Eq<"header", "PATH", "Write a C header">;
defm cpp_class : Eq<"cpp-class", "NS::NAME", "Add a C++ class of this name to the header that --header asks for">;
defm prefix : Eq<"prefix", "NAME", "Prefix of the C symbols (default: from the output's name)">;
defm custom_object : Eq<"custom-object", "FILE", "An object or an archive with functions that --custom-op names, to be linked into a library or an executable; again for more">;
defm weights : Eq<"weights", "embed|file", "Weights in the product, or in a file beside it">;
}

let Visibility = [ForCompile, ForInspect], Flags = [OfModel] in {
defm signature : Eq<"signature", "NAME", "SavedModel: the signature to compile">;
defm tags : Eq<"tags", "LIST", "SavedModel: tags of the graph (default: serve)">;
def all_signatures : F<"all-signatures", "SavedModel: compile every signature">;
defm checkpoint : Eq<"checkpoint", "PATH", "Values of a TensorFlow model's variables, as saved to PATH.index and beside it">;
defm config : Eq<"config", "FILE", "Feeds and fetches of a graph, with their names, as tfcompile is told them (tf2xla.Config, text or binary)">;
defm feed : Eq<"feed", "NAME[:DIMSxTYPE]", "Take this tensor as an input; again for more">;
defm fetch : Eq<"fetch", "NAME", "Give this tensor as an output; again for more">;
defm target_node : Eq<"target-node", "NODE", "Run this node, whatever it gives; again for more">;
defm entry : Eq<"entry", "NAME:FETCH,...;NODE,...", "Another function: what it gives, and which nodes it runs besides; again for more">;
defm shape : Eq<"shape", "NAME=DIMS", "Fix an input's dimensions, as in x=1x224x224x3, or name those that stay open, as in x=batchx?x3 or x=batch,max_len,3; again for more">;
defm dim : Eq<"dim", "NAME=LOW..HIGH", "Bound an input's dimension, by its name in the model or in --shape, or as x.0; NAME=SIZE fixes it; again for more">;
defm variant : Eq<"variant", "NAME:DIM=RANGE,...", "Another function, the model's with other ranges than --dim's, as in step:length=1 for a decoder; again for more">;
defm specialize : Eq<"specialize", "NAME:SIZE,...", "Faster code for sizes up to each SIZE of a dimension with --dim, as in batch:1,8 (default: powers of two, where that is the only one)">;
defm bound : Eq<"bound", "ELEMENTS", "Room for a tensor whose sizes depend on data and nothing bounds (default: 1048576)">;
defm value : Eq<"value", "INPUT=VALUE", "Make an input a constant: numbers with commas, of which one fills all, or @FILE.npy; again for more">;
defm state : Eq<"state", "INPUT=OUTPUT,...", "Keep an input as state in the context: zeros at first, and what the output gives at the end of each run; again for more">;

defm ops : Eq<"ops", "FILE", "Functions that define ops which weir does not know: of an ONNX file (a model's, or one FunctionProto), or of a GraphDef's library; again for more">;
defm custom_op : Eq<"custom-op", "OP=SYMBOL[,KEY=VALUE,...]", "Have a function of C compute an op, DOMAIN::OP or OP, as docs/custom.md says: shape=0 (that of operand 0) or [4x0.1*2], type=0 or f32, of several results with ; between them, parts=N calls that may run at once, scratch=BYTES for each">;

defm grad : Eq<"grad", "LOSS:VAR,...", "Add an entry 'gradients': the derivatives of the sum of LOSS by each VAR; again for more, which may have gradients/VAR of those before as LOSS. With --loss, LOSS may be 'loss', which the entry then gives, too. Where --fetch or --entry name gradients/VAR, those functions give it instead">;

defm loss : Eq<"loss", "KIND:OUTPUT[,LABELS]", "Add the entries 'loss' and 'train_step': KIND is mean_squared_error, softmax_cross_entropy, sparse_softmax_cross_entropy, sigmoid_cross_entropy, huber, hinge or log_cosh of OUTPUT and LABELS, a tensor of the model or a new input; or a tensor of the model is the loss itself">;
defm optimizer : Eq<"optimizer", "NAME[:KEY=VALUE,...]", "How train_step makes the loss less: GradientDescent (default), Momentum, RMSProp, Adagrad, AdagradDA, Adadelta, Adam, AdamW, AdaMax, Ftrl or LAMB; lr=input makes the rate an input">;
defm train_vars : Eq<"train-vars", "REGEX", "Train the variables with such names (default: all), constants of a frozen graph, or initializers of an ONNX model">;
defm freeze : Eq<"freeze", "REGEX", "Do not train the variables with such names">;
defm init : Eq<"init", "KIND[:seed=N][:REGEX]", "First values of trained variables that the model gives none: zeros, ones, glorot_uniform (default), glorot_normal, he_uniform or he_normal, of those with such names, or of all with two dimensions or more; the others are zeros">;
defm clip : Eq<"clip", "KIND=X", "Clip gradients: value=X each element, norm=X each gradient, global_norm=X all together">;
defm accumulate : Eq<"accumulate", "N", "Move variables at each N-th train_step only, by the mean of N gradients">;
defm loss_scale : Eq<"loss-scale", "X|dynamic[:X[,STEPS]]", "Multiply the loss before gradients are taken, and divide these by it: for gradients of f16; a dynamic scale begins at X (default: 32768), halves where a gradient is not finite, which leaves that step out, and doubles after STEPS (default: 2000)">;
defm master_weights : Eq<"master-weights", "f32|none", "Whether variables of 16 bits have copies of f32 that steps move, with what the optimizer keeps in f32 (default: f32)">;
defm weight_decay : Eq<"weight-decay", "RATE[:REGEX]", "Make variables, or those with such names, smaller besides: by AdamW and LAMB directly, by others in the gradient">;
}

let Visibility = [ForCompile, ForInspect] in {
defm max_memory : Eq<"max-memory", "BYTES", "End with status 75 where the compiler needs more memory than so many bytes (K, M and G behind a number: of 1024; default: 1 GiB and 8 times the model's files)">;
def trust_bytecode : F<"trust-bytecode", "Read IR in MLIR's binary form, whose reader believes every byte">;
defm target : Eq<"target", "TRIPLE", "Compile for this target">;
def mcpu : Joined<["-"], "mcpu=">, MetaVarName<"NAME">,
           HelpText<"Processor: native (default), x86-64-v3, ...">;
def mattr : Joined<["-"], "mattr=">, MetaVarName<"LIST">,
            HelpText<"Features to add or remove, as in +avx512f,-fma">;
}
let Visibility = [ForCompile] in {
defm multiversion : Eq<"multiversion", "LIST", "Code for several kinds of processors, of which create takes the best that it runs on: any of x86-64, x86-64-v2, x86-64-v3, x86-64-v4 and amx">;
defm gpu : Eq<"gpu", "KIND", "Run kernels on a GPU: cuda, or sim, which runs the same kernels on the CPU, for tests">;
defm use_lib : Eq<"use-lib", "WHICH", "Of --gpu=cuda, what libraries compute, which have to be where the model runs: none (default), auto (products by cuBLASLt and convolutions by cuDNN that are large enough), or cublaslt, cudnn or cublaslt,cudnn (all that these can)">;
defm place : Eq<"place", "REGEX:cpu|gpu", "With --gpu, where nodes are computed whose name the expression is found in; the last that fits a node counts, and goes before the device that the model asks for (may be given again)">;
defm gpu_arch : Eq<"gpu-arch", "LIST", "Architectures of GPUs to make machine code for where ptxas is found, as in sm_80,sm_90; PTX, which all later ones run too, is for the oldest (default: sm_80). sm_90a goes alone: only a Hopper runs what is made for it">;
defm threads : Eq<"threads", "N|extern", "Run on N threads of the model's own (default: 1), or on the caller's">;
defm precision : Eq<"precision", "f32|bf16x3|tf32", "What products of f32 keep: all of f32 (default); by tiles of AMX 16 bits, in half the time; on a GPU 10 bits of each factor's fraction, by its units for matrices">;
defm fast_math : Eq<"fast-math", "LIST", "What arithmetic of floats may do for speed: none (default), or any of contract (round once after a product and a sum), reassoc, nnan (no NaN comes in or out), nsz (the sign of a zero is any), arcp (multiply by a reciprocal), afn, and fast for all of them">;
defm remat : Eq<"remat", "BYTES", "Compute values again where they are used late, so that the arena has at most so many bytes (K, M and G behind a number: of 1024)">;
def O : Joined<["-"], "O">, MetaVarName<"LEVEL">,
        HelpText<"Optimization level, 0 to 3 (default: 2)">;

defm stop_after : Eq<"stop-after", "STAGE", "Print what a stage leaves: import, train, graph, grad, place (with --gpu), fuse, lower, plan, and cpu or gpu">;
def timing : F<"timing", "Print the time that each pass took">;
defm report : Eq<"report", "FILE.json|FILE.html", "Write what was decided: signatures, groups of ops, kernels, memory, schedule and the time that each stage took">;
defm remarks : Eq<"remarks", "REGEX", "Say what was decided, of the kinds that the expression is found in: training, fusion, kernels, memory, schedule">;
}
let Visibility = [ForInspect] in {
def json : F<"json", "Print JSON">;
def nodes : F<"nodes", "List the model's nodes and the tensors that they give, which --feed and --fetch take">;
def list_ops : F<"list-ops", "Without a model, list the ops that each frontend imports">;
}
