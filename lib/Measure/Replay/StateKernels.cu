// Kernels that compare, vary and sum up the memory of a held program. Part of
// the tool as text, after StateKernels.h; compiled with the user's nvcc. Every
// kernel takes addresses only, and works for any number of blocks and threads.

namespace cudal1_state {

enum : u32 {
  Bytes,
  Padding,
  Integer16,
  Integer32,
  Integer64,
  Half,
  BFloat16,
  Float,
  Double
};

__device__ inline u64 globalIndex() {
  return u64(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline u64 globalSize() { return u64(gridDim.x) * blockDim.x; }

template <typename To, typename From> __device__ inline To bitsAs(From Value) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  union {
    From In;
    To Out;
  } Both;
  Both.In = Value;
  return Both.Out;
}

__device__ inline u32 bytesOf(u32 Type) {
  switch (Type) {
  case Integer16:
  case Half:
  case BFloat16:
    return 2;
  case Integer32:
  case Float:
    return 4;
  case Integer64:
  case Double:
    return 8;
  default:
    return 1;
  }
}

__device__ inline u64 loadBits(u32 Type, u64 Address) {
  switch (Type) {
  case Integer16:
  case Half:
  case BFloat16:
    return *reinterpret_cast<const unsigned short *>(Address);
  case Integer32:
  case Float:
    return *reinterpret_cast<const u32 *>(Address);
  case Integer64:
  case Double:
    return *reinterpret_cast<const u64 *>(Address);
  default:
    return *reinterpret_cast<const unsigned char *>(Address);
  }
}

__device__ inline double powerOfTwo(int Exponent) {
  return bitsAs<double>(u64(Exponent + 1023) << 52);
}

__device__ inline double decodeHalf(u32 Bits) {
  u32 Exponent = (Bits >> 10) & 31, Mantissa = Bits & 1023;
  double Sign = Bits & 0x8000 ? -1.0 : 1.0;
  if (Exponent == 31)
    return Mantissa ? bitsAs<double>(u64(0x7ff8000000000000))
                    : Sign * bitsAs<double>(u64(0x7ff0000000000000));
  if (Exponent == 0)
    return Sign * Mantissa * powerOfTwo(-24);
  return Sign * (Mantissa + 1024) * powerOfTwo(int(Exponent) - 25);
}

__device__ inline double decode(u32 Type, u64 Bits) {
  switch (Type) {
  case Half:
    return decodeHalf(u32(Bits));
  case BFloat16:
    return bitsAs<float>(u32(Bits) << 16);
  case Float:
    return bitsAs<float>(u32(Bits));
  default:
    return bitsAs<double>(Bits);
  }
}

/// The half that lies nearest, of a finite value within its range.
__device__ inline u32 encodeHalf(double Value) {
  u32 Sign = Value < 0 ? 0x8000 : 0;
  double Size = Value < 0 ? -Value : Value;
  if (Size < powerOfTwo(-14))
    return Sign | u32(Size * powerOfTwo(24) + 0.5);
  int Exponent = int(bitsAs<u64>(Size) >> 52) - 1023;
  u32 Mantissa = u32(Size * powerOfTwo(10 - Exponent) + 0.5);
  // A mantissa that rounds up to 2048 carries into the exponent by itself.
  u32 Bits = (u32(Exponent + 15) << 10) + (Mantissa - 1024);
  return Sign | (Bits > 0x7bff ? 0x7bff : Bits);
}

__device__ inline void store(u32 Type, u64 Address, double Value) {
  switch (Type) {
  case Half:
    *reinterpret_cast<unsigned short *>(Address) = encodeHalf(Value);
    return;
  case BFloat16:
    *reinterpret_cast<unsigned short *>(Address) =
        bitsAs<u32>(float(Value)) >> 16;
    return;
  case Float:
    *reinterpret_cast<float *>(Address) = float(Value);
    return;
  case Double:
    *reinterpret_cast<double *>(Address) = Value;
    return;
  default:
    return;
  }
}

__device__ inline bool isFloating(u32 Type) { return Type >= Half; }
__device__ inline bool isFinite(double Value) {
  return ((bitsAs<u64>(Value) >> 52) & 0x7ff) != 0x7ff;
}
__device__ inline bool isNan(double Value) { return Value != Value; }
__device__ inline double sizeOf(double Value) {
  return Value < 0 ? -Value : Value;
}
__device__ inline u64 larger(u64 A, double B) {
  u64 Bits = bitsAs<u64>(B);
  return Bits > A ? Bits : A;
}

/// Distance from a value to the next one of the type.
__device__ inline double ulpOf(u32 Type, double Value) {
  int Digits = Type == Half       ? 10
               : Type == BFloat16 ? 7
               : Type == Float    ? 23
                                  : 52;
  int Exponent = int((bitsAs<u64>(Value) >> 52) & 0x7ff) - 1023;
  int Power = Exponent - Digits;
  return powerOfTwo(Power < -1022 ? -1022 : Power);
}

__device__ inline void countDifference(const CompareJob &J, u64 I, u64 Before,
                                       u64 After, CompareResult &R) {
  ++R.Differing;
  R.FirstDiffering = I < R.FirstDiffering ? I : R.FirstDiffering;
  R.LastDiffering = I + 1;
  bool Wrong = true;
  const double Infinity = bitsAs<double>(u64(0x7ff0000000000000));
  if (!isFloating(J.Original.Type)) {
    R.MaxScaled = larger(R.MaxScaled, Infinity);
  } else {
    double A = decode(J.Original.Type, Before);
    double B = decode(J.Original.Type, After);
    if (isFinite(A) && isFinite(B)) {
      double Absolute = sizeOf(B - A);
      double Reference = sizeOf(A) > J.Scale ? sizeOf(A) : J.Scale;
      double Scaled =
          Reference > 0 ? Absolute / Reference : (Absolute > 0 ? 1.0 : 0.0);
      R.MaxAbsolute = larger(R.MaxAbsolute, Absolute);
      R.MaxScaled = larger(R.MaxScaled, Scaled);
      if (A != 0) {
        R.MaxRelative = larger(R.MaxRelative, Absolute / sizeOf(A));
        R.MaxUlp = larger(R.MaxUlp, Absolute / ulpOf(J.Original.Type, A));
      }
      Wrong = J.Limit == 0 || Scaled > J.Limit;
    } else {
      // NaN is equal to NaN and never to a number.
      bool Same = (isNan(A) && isNan(B)) || A == B;
      if (!Same)
        R.MaxScaled = larger(R.MaxScaled, Infinity);
      Wrong = !Same || J.Limit == 0;
    }
  }
  if (Wrong) {
    ++R.Mismatches;
    R.FirstMismatch = I < R.FirstMismatch ? I : R.FirstMismatch;
  }
}

__global__ void cudal1_compare(const CompareJob *Job, CompareResult *Out) {
  const CompareJob J = *Job;
  const u32 Type = J.Original.Type, Stride = J.Original.Stride;
  CompareResult R = {0, 0, ~u64(0), 0, ~u64(0), 0, 0, 0, 0, 0};
  for (u64 I = globalIndex(); I < J.Original.Count; I += globalSize()) {
    u64 Before = loadBits(Type, J.Original.Address + I * Stride);
    u64 After = loadBits(Type, J.Variant + I * Stride);
    if (isFloating(Type) && isNan(decode(Type, Before)))
      ++R.OriginalNan;
    if (Before != After)
      countDifference(J, I, Before, After, R);
  }
  if (R.OriginalNan)
    atomicAdd(&Out->OriginalNan, R.OriginalNan);
  if (!R.Differing)
    return;
  atomicAdd(&Out->Differing, R.Differing);
  atomicAdd(&Out->Mismatches, R.Mismatches);
  atomicMin(&Out->FirstDiffering, R.FirstDiffering);
  atomicMax(&Out->LastDiffering, R.LastDiffering);
  atomicMin(&Out->FirstMismatch, R.FirstMismatch);
  atomicMax(&Out->MaxAbsolute, R.MaxAbsolute);
  atomicMax(&Out->MaxRelative, R.MaxRelative);
  atomicMax(&Out->MaxUlp, R.MaxUlp);
  atomicMax(&Out->MaxScaled, R.MaxScaled);
}

/// Counts scalars that are neither the same with and without poison, nor left
/// alone in both.
__global__ void cudal1_poison_read(const PoisonJob *Job, PoisonResult *Out) {
  const PoisonJob J = *Job;
  const u32 Type = J.Poisoned.Type, Stride = J.Poisoned.Stride;
  const u64 Poison = ~u64(0);
  PoisonResult R = {0, 0};
  for (u64 I = globalIndex(); I < J.Poisoned.Count; I += globalSize()) {
    u64 Poisoned = loadBits(Type, J.Poisoned.Address + I * Stride);
    u64 Plain = loadBits(Type, J.Plain + I * Stride);
    u64 Before = loadBits(Type, J.Before + I * Stride);
    bool IsPoison = Poisoned == loadBits(Type, u64(&Poison));
    bool Varies = J.Noisy && isFloating(Type) &&
                  isFinite(decode(Type, Poisoned)) &&
                  isFinite(decode(Type, Plain));
    if (Poisoned != Plain && !(IsPoison && Plain == Before) && !Varies)
      ++R.Read;
    if (Plain != Before)
      R.BytesChanged += bytesOf(Type);
  }
  if (R.Read)
    atomicAdd(&Out->Read, R.Read);
  if (R.BytesChanged)
    atomicAdd(&Out->BytesChanged, R.BytesChanged);
}

/// Doubles as integers in the same order, negative ones included.
__device__ inline u64 keyOf(double Value) {
  u64 Bits = bitsAs<u64>(Value);
  return Bits >> 63 ? ~Bits : Bits | (u64(1) << 63);
}

__global__ void cudal1_range(const Field *What, RangeResult *Out) {
  const Field F = *What;
  RangeResult R = {0, ~u64(0), 0};
  for (u64 I = globalIndex(); I < F.Count; I += globalSize()) {
    double Value = decode(F.Type, loadBits(F.Type, F.Address + I * F.Stride));
    if (!isFinite(Value))
      continue;
    u64 Key = keyOf(Value);
    ++R.Finite;
    R.Min = Key < R.Min ? Key : R.Min;
    R.Max = Key > R.Max ? Key : R.Max;
  }
  if (!R.Finite)
    return;
  atomicAdd(&Out->Finite, R.Finite);
  atomicMin(&Out->Min, R.Min);
  atomicMax(&Out->Max, R.Max);
}

/// Sebastiano Vigna's splitmix64.
__device__ inline u64 mixed(u64 X) {
  X += 0x9e3779b97f4a7c15;
  X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9;
  X = (X ^ (X >> 27)) * 0x94d049bb133111eb;
  return X ^ (X >> 31);
}

/// Counts values by their exponents; Out has a bin for each and holds zeros.
__global__ void cudal1_magnitudes(const Field *What, MagnitudeBin *Out) {
  const Field F = *What;
  const u64 Looks = F.Count < MaxMagnitudes ? F.Count : MaxMagnitudes;
  for (u64 Look = globalIndex(); Look < Looks; Look += globalSize()) {
    u64 I = F.Count > Looks ? mixed(Look) % F.Count : Look;
    double Value = decode(F.Type, loadBits(F.Type, F.Address + I * F.Stride));
    if (!isFinite(Value) || Value == 0)
      continue;
    u64 Bits = bitsAs<u64>(sizeOf(Value));
    MagnitudeBin *Bin = Out + (Bits >> 52);
    atomicAdd(&Bin->Count, u64(1));
    atomicMax(&Bin->Largest, Bits);
    atomicMax(&Bin->SmallestInverted, ~Bits);
  }
}

__global__ void cudal1_vary(const VaryJob *Job) {
  const VaryJob J = *Job;
  for (u64 I = globalIndex(); I < J.What.Count; I += globalSize()) {
    u64 At = J.What.Address + I * J.What.Stride;
    double Value = decode(J.What.Type, loadBits(J.What.Type, At));
    if (!isFinite(Value))
      continue;
    // Three quarters to all of the way from the anchor to the value.
    double Uniform = double(mixed(J.Seed ^ mixed(I)) >> 11) * powerOfTwo(-53);
    store(J.What.Type, At,
          J.Anchor + (Value - J.Anchor) * (0.75 + 0.25 * Uniform) +
              J.Spread * Uniform);
  }
}

/// Whole words may be read where they are aligned only. The sum is that of the
/// contents, wherever they lie.
__device__ inline u64 wordAt(u64 Address) {
  if (Address % 8 == 0)
    return *reinterpret_cast<const u64 *>(Address);
  u64 Word = 0;
  for (u32 I = 0; I < 8; ++I)
    Word |= u64(*reinterpret_cast<const unsigned char *>(Address + I))
            << (8 * I);
  return Word;
}

__global__ void cudal1_sum(const SumJob *Job, u64 *Out) {
  const SumJob J = *Job;
  u64 Sum = 0, Words = J.Bytes / 8;
  for (u64 I = globalIndex(); I < Words; I += globalSize())
    Sum += mixed(wordAt(J.Address + I * 8) ^ mixed(I));
  if (globalIndex() == 0)
    for (u64 At = Words * 8; At < J.Bytes; ++At)
      Sum += mixed(*reinterpret_cast<const unsigned char *>(J.Address + At) ^
                   mixed(~At));
  if (Sum)
    atomicAdd(Out, Sum);
}

/// Fills memory that the driver's own function refuses, since no allocation
/// holds it.
__global__ void cudal1_fill(const SumJob *Job, const unsigned char *Value) {
  const SumJob J = *Job;
  for (u64 I = globalIndex(); I < J.Bytes; I += globalSize())
    *reinterpret_cast<unsigned char *>(J.Address + I) = *Value;
}

/// Out becomes 1 + the index of a target that some aligned word points into.
__global__ void cudal1_pointers(const PointerJob *Job, u64 *Out) {
  const PointerJob J = *Job;
  const SumJob *Targets = reinterpret_cast<const SumJob *>(J.Targets);
  const u64 Skipped = (8 - J.Where.Address % 8) % 8;
  const u64 Words = J.Where.Bytes > Skipped ? (J.Where.Bytes - Skipped) / 8 : 0;
  for (u64 I = globalIndex(); I < Words; I += globalSize()) {
    u64 Word = wordAt(J.Where.Address + Skipped + I * 8);
    // Most words are numbers.
    if (Word < J.Low || Word >= J.High)
      continue;
    for (u64 T = 0; T < J.TargetCount; ++T)
      if (Word - Targets[T].Address < Targets[T].Bytes)
        atomicMax(Out, T + 1);
  }
}

/// Clock cycles and nanoseconds of the same short while.
__global__ void cudal1_clock(u64 *Out) {
#ifdef __CUDA_ARCH__
  if (globalIndex() != 0)
    return;
  u64 Ns, Now;
  constexpr u64 While = 10000;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Ns));
  Now = Ns;
  u64 Cycles = clock64();
  while (Now - Ns < While)
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Now));
  Out[0] = clock64() - Cycles;
  Out[1] = Now - Ns;
#endif
}

} // namespace cudal1_state
