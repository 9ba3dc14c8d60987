//===- Side.h - The two passes of a CUDA compilation ------------*- C++ -*-===//

#ifndef CUDAL1_FRONTEND_SIDE_H
#define CUDAL1_FRONTEND_SIDE_H

namespace cudal1 {

/// The two passes of a CUDA compilation.
enum class Side { Device, Host };

} // namespace cudal1

#endif // CUDAL1_FRONTEND_SIDE_H
