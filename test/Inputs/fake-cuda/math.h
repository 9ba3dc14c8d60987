#include "cuda.h" // Declares the maths functions that tests use.
