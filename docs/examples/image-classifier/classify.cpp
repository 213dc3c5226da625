// Classifies pictures. With one file it prints the class and its probability.
// With several it prints the share of the pictures whose class begins the name
// of their file. classify PICTURE.pgm...
#include "shapes.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

static const char *const classes[] = {"circle", "crescent", "cross",
                                      "square", "star",     "triangle"};
static constexpr int count = SHAPES_PROBABILITIES_ELEMENTS;
static_assert(count == sizeof classes / sizeof *classes);

// Reads a binary PGM file of the model's size; pixels become 0 to 1.
static bool read(const char *path, float *image) {
  std::ifstream file(path, std::ios::binary);
  std::string kind;
  int width = 0, height = 0, white = 0;
  file >> kind >> width >> height >> white;
  file.get();
  unsigned char pixels[SHAPES_IMAGE_ELEMENTS];
  file.read(reinterpret_cast<char *>(pixels), sizeof pixels);
  if (!file || kind != "P5" || width != SHAPES_IMAGE_DIM2 ||
      height != SHAPES_IMAGE_DIM1 || white != 255)
    return false;
  std::transform(pixels, pixels + sizeof pixels, image,
                 [](unsigned char pixel) { return pixel / 255.0f; });
  return true;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "classify PICTURE.pgm...\n");
    return 2;
  }
  shapes::Classifier net;
  int right = 0;
  for (int i = 1; i < argc; ++i) {
    if (!read(argv[i], net.arg_image_data())) {
      std::fprintf(stderr, "%s: not a PGM file of %d x %d pixels\n", argv[i],
                   SHAPES_IMAGE_DIM2, SHAPES_IMAGE_DIM1);
      return 1;
    }
    if (net.Run() != WEIR_OK) {
      std::fprintf(stderr, "%s\n", net.error());
      return 1;
    }
    const float *probabilities = net.result_probabilities_data();
    int best =
        std::max_element(probabilities, probabilities + count) - probabilities;
    std::string name = argv[i];
    name.erase(0, name.rfind('/') + 1);
    right += name.substr(0, name.find('-')) == classes[best];
    if (argc == 2)
      std::printf("%s: %s (probability %.3f)\n", name.c_str(), classes[best],
                  probabilities[best]);
  }
  if (argc > 2)
    std::printf("%d of %d pictures classified right: %.1f %%\n", right,
                argc - 1, 100.0 * right / (argc - 1));
  return 0;
}
