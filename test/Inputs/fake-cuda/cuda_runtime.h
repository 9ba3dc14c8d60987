#include "cuda.h" // The tiny stand-in; see there.
