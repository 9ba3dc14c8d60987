//===- EmbeddedWeights.cpp - The weights in this program ------------------===//

#include "EmbeddedWeights.h"

// C++26's #embed, which Clang takes in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

#if __has_embed(<default.safetensors>)
static constexpr unsigned char Weights[] = {
#embed < default.safetensors>
};
std::string_view cudal1::embeddedWeights() {
  return {reinterpret_cast<const char *>(Weights), sizeof Weights};
}
#else
std::string_view cudal1::embeddedWeights() { return {}; }
#endif
