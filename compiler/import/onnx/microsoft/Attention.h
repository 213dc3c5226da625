// What attention of the domain com.microsoft is made of.

#ifndef WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_ATTENTION_H
#define WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_ATTENTION_H

#include "compiler/import/bounded/Sizes.h"
#include "compiler/import/onnx/attention/Attention.h"
#include "compiler/import/onnx/microsoft/Microsoft.h"

namespace weir::onnx {

/// Queries, keys and values [batch, heads, steps, size].
struct Words {
  Expr q, k, v;
};

/// What shares are computed by beside queries and keys.
struct Scores {
  double scale = 0;   ///< 0: one over the root of a head's size
  double softcap = 0; ///< 0: none
  Expr bias;          ///< added to products, where there is one
  /// A logit for each head [1, heads, 1, 1] that takes a share and has no
  /// value, where there is one.
  Expr sink;
  /// How many keys count, where others lie behind them that may be no numbers.
  std::optional<Size> keys;
};

/// The values that queries attend to, [batch, heads, steps, size]. Heads of
/// keys and values may be fewer, each for several of the queries' in a row.
Expr attended(Node &node, const Words &words, const Scores &scores);

/// An error where queries, keys and values do not fit together.
mlir::LogicalResult checkWords(Node &node, const Words &words);

/// 0 where `isSeen`, else `hidden`, in f32.
Expr hiding(Expr isSeen, double hidden);
/// Either of two things to add.
Expr plus(Expr x, Expr y);
/// Hides the keys behind each of `queries` queries, the first of which stands
/// behind `past` keys: [1, 1, queries, keys].
Expr hidingLater(mlir::ImplicitLocOpBuilder &b, int64_t queries, int64_t keys,
                 int64_t past);

void addMicrosoftAttentionHandlers(Handlers &);
void addMicrosoftCacheHandlers(Handlers &);
void addMicrosoftRotaryHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_ATTENTION_H
