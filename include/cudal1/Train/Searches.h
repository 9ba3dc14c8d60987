//===- Searches.h - How well a kernel is optimised in N measurements -*- C++-*//

#ifndef CUDAL1_TRAIN_SEARCHES_H
#define CUDAL1_TRAIN_SEARCHES_H

#include "cudal1/Train/Config.h"

namespace cudal1 {

/// ln of the best speedup after 0, 1, … measurements; the last value holds on
/// when a search came to its end early.
using SearchCurve = std::vector<double>;

/// Above this probability of stopping, the policy stops. More than any single
/// step's: many steps may share what speaks for going on.
inline constexpr double StopFrom = 0.5;

/// An episode in which the likeliest choice is made, reopened at its end.
SearchCurve searchWith(const Scorer &S, Environment &E, EpisodeRules Rules);
/// Variants of one to four random steps from the original, as RandomSearch of
/// the optimiser.
SearchCurve searchRandomly(Environment &E, unsigned Measurements, Random &R);
/// A population of the best Variants so far; each new one is a random step
/// from one of them, the better the likelier, or from the original.
SearchCurve searchByEvolution(Environment &E, unsigned Measurements, Random &R);

/// Log speedup of the Variant that \p S proposes without measuring; 0 when it
/// proposes none. \p Failed: it would not have passed verification.
double propose(const Scorer &S, Environment &E, unsigned MaxSteps,
               double StopFrom, bool &Failed);

} // namespace cudal1

#endif // CUDAL1_TRAIN_SEARCHES_H
