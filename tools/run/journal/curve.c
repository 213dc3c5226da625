// Draws a curve as SVG.

#include "tools/run/journal/curve.h"

#include <math.h>
#include <string.h>

// The picture and, within it, where the curve is.
static const double width = 800, height = 480;
static const double left = 84, right = 776, top = 48, bottom = 420;

static void join(struct bin *to, const struct bin *a, const struct bin *b) {
  struct bin both = *a;
  if (b->values) {
    both.least = a->values ? fmin(a->least, b->least) : b->least;
    both.most = a->values ? fmax(a->most, b->most) : b->most;
    both.sum += b->sum;
  }
  both.values += b->values;
  both.steps += b->steps;
  *to = both;
}

void curve_add(struct curve *c, double value) {
  if (!c->width)
    c->width = 1;
  if (c->count == MAX_BINS && c->bins[MAX_BINS - 1].steps == c->width) {
    for (int i = 0; i < MAX_BINS / 2; ++i)
      join(&c->bins[i], &c->bins[2 * i], &c->bins[2 * i + 1]);
    c->count = MAX_BINS / 2;
    c->width *= 2;
  }
  if (!c->count || c->bins[c->count - 1].steps == c->width)
    c->bins[c->count++] = (struct bin){0};
  struct bin one = {value, value, value, 1, 1}, none = {0, 0, 0, 1, 0},
             *last = &c->bins[c->count - 1];
  join(last, last, isfinite(value) ? &one : &none);
  ++c->steps;
}

/// Values from `low` to `high`; by their logarithms where `is_log`.
struct scale {
  double low, high;
  int is_log;
};

static double place(const struct scale *s, double value) {
  double low = s->low, high = s->high;
  if (s->is_log)
    value = log10(value), low = log10(low), high = log10(high);
  // What is far apart has a difference beyond the largest number.
  return bottom - (value / 2 - low / 2) / (high / 2 - low / 2) * (bottom - top);
}

/// Positive values that are far apart go by their logarithms.
static struct scale scale_of(const struct curve *c) {
  struct scale s = {INFINITY, -INFINITY, 0};
  for (int i = 0; i < c->count; ++i)
    if (c->bins[i].values) {
      s.low = fmin(s.low, c->bins[i].least);
      s.high = fmax(s.high, c->bins[i].most);
    }
  if (s.low > s.high)
    return (struct scale){0, 1, 0};
  if (s.low > 0 && s.high / s.low >= 50) {
    s.is_log = 1;
    return s;
  }
  double margin = (s.high / 2 - s.low / 2) * 0.05;
  if (!(margin > 0))
    margin = s.high != 0 ? fabs(s.high) * 0.05 : 1;
  int is_positive = s.low >= 0;
  s.low -= margin;
  s.high += margin;
  if (is_positive && (s.low < 0 || s.low < s.high * 0.3))
    s.low = 0;
  // Of the largest numbers no margin is left.
  s.low = fmax(s.low, -1.7e308), s.high = fmin(s.high, 1.7e308);
  return s;
}

/// 1, 2 or 5 times a power of ten: at most `count` of them are the span.
static double tick_of(double span, int count) {
  double power = pow(10, floor(log10(span / count)));
  static const double steps[] = {1, 2, 5, 10};
  for (int i = 0; i < 4; ++i)
    if (steps[i] * power * count >= span)
      return steps[i] * power;
  return 10 * power;
}

static void line_across(FILE *f, double y, double value) {
  fprintf(f,
          "<line class='grid' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>\n"
          "<text class='number' x='%.1f' y='%.1f' text-anchor='end'>%.6g"
          "</text>\n",
          left, y, right, y, left - 8, y + 4, value);
}

static void draw_values(const struct scale *s, FILE *f) {
  if (!s->is_log) {
    double tick = tick_of(s->high - s->low, 7);
    if (!(tick > 0) || !isfinite(tick))
      return;
    double first = ceil(s->low / tick - 1e-9);
    for (int i = 0; i <= 14 && (first + i) * tick <= s->high; ++i)
      line_across(f, place(s, (first + i) * tick), (first + i) * tick);
    return;
  }
  // Of each power of ten 1, 2 and 5, or 1 alone, or not even of each.
  double from = floor(log10(s->low)), to = ceil(log10(s->high));
  int each = (int)ceil((to - from) / 10);
  for (double power = from; power <= to; power += each)
    for (int k = 1; k < 10; k = k == 1 ? 2 : k == 2 ? 5 : 10) {
      double value = k * pow(10, power);
      if (value >= s->low && value <= s->high && (k == 1 || to - from <= 3))
        line_across(f, place(s, value), value);
    }
}

static double place_of_step(const struct curve *c, double step) {
  double all = c->steps > 1 ? (double)(c->steps - 1) : 1;
  return left + (step - 1) / all * (right - left);
}

static void draw_steps(const struct curve *c, FILE *f) {
  double tick = fmax(tick_of(c->steps > 1 ? (double)c->steps : 1, 8), 1);
  for (double step = tick > 1 ? 0 : 1; step <= (double)c->steps; step += tick) {
    double at = fmax(step, 1), x = place_of_step(c, at);
    fprintf(f,
            "<line class='tick' x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>\n"
            "<text class='number' x='%.1f' y='%.1f' text-anchor='middle'>"
            "%.0f</text>\n",
            x, bottom, x, bottom + 5, x, bottom + 20, at);
  }
}

/// The middle of a bin.
static double place_of_bin(const struct curve *c, int i) {
  return place_of_step(c, (double)(i * c->width) +
                              (double)(c->bins[i].steps + 1) / 2);
}

/// Bins with values that follow each other, from `from` on, end before this.
static int end_of_run(const struct curve *c, int from) {
  while (from < c->count && c->bins[from].values)
    ++from;
  return from;
}

static void draw_band(const struct curve *c, const struct scale *s, int from,
                      int to, FILE *f) {
  fputs("<polygon class='band' points='", f);
  for (int i = from; i < to; ++i)
    fprintf(f, "%.1f,%.1f ", place_of_bin(c, i), place(s, c->bins[i].most));
  for (int i = to; i-- > from;)
    fprintf(f, "%.1f,%.1f ", place_of_bin(c, i), place(s, c->bins[i].least));
  fputs("'/>\n", f);
}

static double mean_of(const struct bin *bin) {
  // A sum of what is large may be too large.
  double mean = bin->sum / (double)bin->values;
  return fmin(fmax(mean, bin->least), bin->most);
}

static void draw_line(const struct curve *c, const struct scale *s, int from,
                      int to, FILE *f) {
  if (to - from == 1) {
    fprintf(f, "<circle class='point' cx='%.1f' cy='%.1f' r='3'/>\n",
            place_of_bin(c, from), place(s, mean_of(&c->bins[from])));
    return;
  }
  fputs("<polyline class='curve' points='", f);
  for (int i = from; i < to; ++i)
    fprintf(f, "%.1f,%.1f ", place_of_bin(c, i),
            place(s, mean_of(&c->bins[i])));
  fputs("'/>\n", f);
}

static const char style[] =
    "<style>\n"
    "text { font: 13px sans-serif; fill: #333 }\n"
    ".number { font-size: 12px; fill: #555 }\n"
    ".title { font-size: 16px }\n"
    ".grid { stroke: #e4e4e4 }\n"
    ".tick, .axis { stroke: #777 }\n"
    ".band { fill: #1f77b4; fill-opacity: 0.2; stroke: none }\n"
    ".curve { fill: none; stroke: #1f77b4; stroke-width: 1.8; "
    "stroke-linejoin: round }\n"
    ".point { fill: #1f77b4 }\n"
    "</style>\n";

static void draw_frame(const struct curve *c, const struct scale *s,
                       const char *what, FILE *f) {
  draw_values(s, f);
  draw_steps(c, f);
  fprintf(f,
          "<polyline class='axis' fill='none' points='%.1f,%.1f %.1f,%.1f "
          "%.1f,%.1f'/>\n"
          "<text x='%.1f' y='%.1f' text-anchor='middle'>step</text>\n"
          "<text x='22' y='%.1f' text-anchor='middle' "
          "transform='rotate(-90 22 %.1f)'>%s%s</text>\n",
          left, top, left, bottom, right, bottom, (left + right) / 2,
          height - 14, (top + bottom) / 2, (top + bottom) / 2, what,
          s->is_log ? " (logarithmic)" : "");
}

void curve_draw(const struct curve *c, const char *what, FILE *f) {
  struct scale s = scale_of(c);
  fprintf(f,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' "
          "height='%.0f' viewBox='0 0 %.0f %.0f'>\n",
          width, height, width, height);
  fputs(style, f);
  fprintf(f, "<rect width='%.0f' height='%.0f' fill='white'/>\n", width,
          height);
  fprintf(f, "<text class='title' x='%.1f' y='28'>%s over %lld steps", left,
          what, (long long)c->steps);
  if (c->count && c->bins[c->count - 1].values)
    fprintf(f, ", %.4g at the end", mean_of(&c->bins[c->count - 1]));
  if (c->width > 1)
    fprintf(f, " (means of %lld)", (long long)c->width);
  fputs("</text>\n", f);
  draw_frame(c, &s, what, f);
  for (int from = 0, to; from < c->count; from = to + 1) {
    to = end_of_run(c, from);
    if (to == from)
      continue;
    if (c->width > 1)
      draw_band(c, &s, from, to, f);
    draw_line(c, &s, from, to, f);
  }
  fputs("</svg>\n", f);
}
