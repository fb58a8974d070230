// Draws a one, 8 pixels high, and asks the digit classifier what it sees.
#include <rushlight/rushlight.h>

#include <algorithm>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: digits digits.pt2\n";
    return 2;
  }
  try {
    rushlight::Model model(argv[1]);
    rushlight::Tensor image =
        rushlight::Tensor::empty(rushlight::Dims{1, 1, 8, 8}, rushlight::DType::Float32);
    std::fill_n(image.data<float>(), 64, 0.0f);
    for (int row = 0; row < 8; ++row) std::fill_n(image.data<float>() + 8 * row + 3, 2, 16.0f);
    const rushlight::Tensor scores = model.run({image}).at(0);
    const float* first = scores.data<float>();
    std::cout << "this is a " << std::max_element(first, first + 10) - first << "\n";
  } catch (const rushlight::Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
