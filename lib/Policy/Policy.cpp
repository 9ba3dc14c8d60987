//===- Policy.cpp - Which rewrite to try next -----------------------------===//

#include "cudal1/Policy/Policy.h"

using namespace cudal1;

Policy::~Policy() = default;

bool cudal1::isSameStep(const Action &A, const Rewrite &R) {
  return A.Where->TheRule->name() == R.Rule && A.Where->Subject == R.Subject &&
         *A.Params == R.Params;
}
