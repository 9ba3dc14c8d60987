"""The work that each benchmark program cannot avoid, at its default size, and
the least time that it takes on a GPU whose peaks were measured (rate/peaks.cu).

Derived by hand from what a program computes, not from what its naive kernel
does: inputs are read once and outputs written once for each repetition; what
only passes from one kernel to the next is not counted, nor is a gather beyond
the array itself. Steps that an element makes by itself are one phase (they can
be fused); steps that need the neighbours' last values are a phase each, and so
is each of the repetitions that a program makes. What is not in the model:
launches, dependences, latency, atomics, the shape of the caches.
"""

MB = 1 << 20
HALF, FLOAT, DOUBLE, INT = 2, 4, 8, 4


class Phase:
    """TIMES times: BYTES between memory and the SMs in a working set of
    WORKING_SET bytes (default: BYTES), and OPERATIONS of single lanes by kind
    (a fused multiply-add is one): fp32, fp64, fp64_matrix, half,
    half_matrix, int,
    transcendental (exp, log, square root, reciprocal)."""

    def __init__(self, times, moved, working_set=None, **operations):
        self.times, self.bytes, self.operations = times, moved, operations
        self.working_set = moved if working_set is None else working_set


def dense(times, m, n, k, count=1, size=FLOAT, kind="fp32", extra=0):
    """COUNT products of M x K and K x N."""
    moved = size * count * (m * k + k * n + m * n) + extra
    return Phase(times, moved, **{kind: count * m * n * k})


def programs():
    """Name to phases."""
    n20, n22, n23, n24 = 1 << 20, 1 << 22, 1 << 23, 1 << 24
    square = 4096 * 4096
    wide = 4096 * 3072
    softmax, norm = 8192 * 1024, 8192 * 768
    return {
        "attention": [Phase(1, FLOAT * 4 * 2048 * 64, fp32=2 * 2048**2 * 64,
                            transcendental=2048**2)],
        "batched_matmul": [dense(3, 256, 256, 256, count=64)],
        # Each edge, offset and level once: the frontier kept in a queue.
        "bfs_levels": [Phase(1, INT * (n20 + 3 * n20 + 2 * n20), int=4 * n20)],
        # The comparisons of the network; keys in and out once.
        "bitonic_sort": [Phase(1, 2 * INT * n20, INT * n20,
                               int=2 * 210 * (n20 // 2))],
        # log, square root, exp, one quotient, and exp and quotient in each of
        # two erfc; those of the put follow from the call's.
        "black_scholes": [Phase(10, 20 * n23, fp32=40 * n23,
                                transcendental=8 * n23)],
        # x and y read and written once a round: scaling joins the next axpy.
        "blas_chain": [Phase(4, FLOAT * 4 * n22, FLOAT * 2 * n22,
                             fp32=4 * n22)],
        "chunk_upload": [Phase(16, 2 * FLOAT * n20 * 47 // 48, FLOAT * n20,
                               fp32=3 * n20, transcendental=2 * n20)],
        "convolution2d": [Phase(5, 2 * FLOAT * 4096 * 2048,
                                fp32=49 * 4096 * 2048)],
        "count_words": [Phase(1, 2 * n23, n23, int=2 * n23)],
        "cross_entropy": [Phase(1, 2 * FLOAT * (n20 // 32) * 201,
                                fp32=4 * (n20 // 32) * 200,
                                transcendental=(n20 // 32) * 200)],
        "depthwise_conv": [Phase(5, 2 * FLOAT * 512 * 257 * 32,
                                 fp32=9 * 512 * 257 * 32)],
        # By definition, with tables of sine and cosine; half of the spectrum
        # of a real signal follows from the other half.
        "dft": [Phase(1, 2 * FLOAT * 8 * 2048, fp32=8 * 2048**2)],
        "edge_detect": [Phase(5, 2 * 4096 * 3073, int=10 * 4096 * 3073)],
        # a, b and y in, y out, all steps of an element at once.
        "elementwise": [Phase(1, 4 * FLOAT * 12 * MB, 3 * FLOAT * 12 * MB,
                              fp32=3 * 8 * 12 * MB,
                              transcendental=3 * 12 * MB)],
        "gemm_double": [dense(1, 1024, 1024, 1024, size=DOUBLE,
                              kind="fp64_matrix", extra=DOUBLE * n20)],
        "gray_scott": [Phase(1000, 4 * FLOAT * 128**2, fp32=24 * 128**2)],
        "half_axpy": [Phase(1, 3 * HALF * n24 + FLOAT * (n24 // 64),
                            2 * HALF * n24, half=2 * n24, fp32=n24)],
        "heat3d": [Phase(10, 3 * FLOAT * 256**3, fp32=8 * 256**3)],
        "histogram": [Phase(5, INT * n24, int=2 * n24)],
        # Grey, then a separable box: the grey image itself need not be kept.
        "image_filter": [Phase(5, 4 * 4096 * 2304, int=8 * 4096 * 2304)],
        "inclusive_scan": [Phase(3, 2 * INT * n22, int=n22)],
        "layer_norm": [Phase(5, 2 * FLOAT * norm, fp32=4 * norm)],
        "linear_relu": [dense(2, 768, 770, 768)],
        # The points once: a batch fits on the chip between its two kernels.
        "malloc_loop": [Phase(24, 16 * 803095 // 24, fp32=9 * 803095 // 24,
                              transcendental=803095 // 24)],
        "matmul": [dense(5, 1024, 1024, 1024)],
        "matmul_a_bt": [dense(3, 1029, 1024, 513)],
        "matmul_at_b": [dense(5, 1027, 1024, 1025)],
        "matmul_half": [dense(1, 2048, 2048, 2048, size=HALF,
                              kind="half_matrix")],
        "matmul_swapped": [dense(5, 1024, 1024, 1024)],
        "matvec": [Phase(10, FLOAT * square, fp32=square)],
        "matvec_transposed": [Phase(10, FLOAT * square, fp32=square)],
        "max_pool": [Phase(10, 8 * (FLOAT * n20 + 8 * n20 // 4),
                           fp32=8 * 5 * n20 // 4)],
        # Two steps of the generator, squares of 24 bits, one comparison.
        "monte_carlo_pi": [Phase(1, 8, int=8 * 64 * (n20 // 2))],
        "nbody": [Phase(5, 2 * 28 * 8192, fp32=12 * 8192**2,
                        transcendental=8192**2)],
        # One multiply-add a term, by |a|^2 + |b|^2 - 2ab.
        "pairwise_distance": [
            dense(5, 2048, 2053, 32),
            dense(5, 1024, 2048, 24, size=DOUBLE, kind="fp64_matrix"),
        ],
        # 28 of the 40 bytes are written; all steps of a particle at once.
        "particles_aos": [Phase(1, 68 * n20, 40 * n20, fp32=12 * 25 * n20,
                                transcendental=12 * n20)],
        # All pairs in one pass; the triangle from what it has in hand.
        "rank1_update": [Phase(1, 2 * FLOAT * square, FLOAT * square,
                               fp32=6.5 * square)],
        "red_black": [Phase(6, 3 * FLOAT * square, 2 * FLOAT * square,
                            fp32=5 * square)],
        "reduction": [Phase(5, FLOAT * 2 * n24, fp32=2 * n24)],
        "row_softmax": [Phase(5, 2 * FLOAT * softmax, fp32=4 * softmax,
                              transcendental=softmax)],
        # The values once: a segment is short enough to be kept.
        "segmented_sum": [Phase(5, FLOAT * 1954748 + 16 * (1 << 16),
                                fp32=3 * 1954748)],
        "small_launches": [Phase(1, 3 * FLOAT * 512**2, fp32=512**3 / 3)],
        # 4 to 59 elements a row.
        "spmv_csr": [Phase(10, (1 << 18) * (8 * 31.5 + 12),
                           fp32=31.5 * (1 << 18))],
        # 1 to 24 of 24 slots filled; their columns and values, once.
        "spmv_ell": [Phase(4, (1 << 19) * (8 * 12.5 + 8),
                           (1 << 19) * (8 * 24 + 8), fp32=12.5 * (1 << 19))],
        "stencil1d": [Phase(8, 2 * FLOAT * n24, fp32=9 * n24)],
        "stencil2d": [Phase(10, 2 * FLOAT * 5120**2, fp32=5 * 5120**2)],
        "transpose": [Phase(10, 2 * FLOAT * wide)],
        "transpose_shared": [Phase(10, 2 * FLOAT * wide, fp32=wide)],
        "triangular_solve": [Phase(1, FLOAT * (512**2 / 2 + 2 * 512 * 2049),
                                   fp32=512**2 / 2 * 2049)],
        "wave3d": [Phase(6, 3 * FLOAT * 320**3, 2 * FLOAT * 320**3,
                         fp32=8 * 320**3)],
    }


# --- The least time ----------------------------------------------------------


def bandwidth(peaks, working_set):
    """The most bytes a second that were measured for a working set of that
    size or the next smaller one, reading or copying; None if none was."""
    rates = {}
    for name, value in peaks.items():
        what, _, size = name.partition("_")
        if what in ("read", "copy") and size.endswith("MB"):
            at = int(size[:-2]) * MB
            rates[at] = max(rates.get(at, 0), value)
    smaller = [size for size in rates if size <= working_set]
    at = max(smaller, default=min(rates, default=None))
    return None if at is None else rates[at] * 1e9


def rate(peaks, kind):
    """Operations a second of KIND; None if it was not measured."""
    names = {"int": ("int_add", "int_mul"), "fp64_matrix": ("fp64_matrix", "fp64"),
             "half_matrix": ("half_matrix", "half")}
    values = [peaks[n] for n in names.get(kind, (kind,)) if peaks.get(n)]
    return max(values) * 1e9 if values else None


def least_ms(phases, peaks):
    """(milliseconds, what bounds most of it); None if a peak is missing."""
    total, by = 0, {}
    for phase in phases:
        speeds = {"memory": bandwidth(peaks, phase.working_set)}
        speeds |= {kind: rate(peaks, kind) for kind in phase.operations}
        if None in speeds.values():
            return None
        needed = {"memory": phase.bytes / speeds["memory"]}
        for kind, count in phase.operations.items():
            needed[kind] = count / speeds[kind]
        bound = max(needed, key=needed.get)
        ms = 1e3 * phase.times * needed[bound]
        total, by[bound] = total + ms, by.get(bound, 0) + ms
    return total, max(by, key=by.get)


def roofline(row, peaks):
    """The least time of the program of ROW, and which share of the measured
    ones it is; None if something is missing."""
    phases = programs().get(row["program"])
    least = least_ms(phases, peaks) if phases and peaks else None
    if least is None:
        return None
    ms, bound = least
    original = row.get("original_gpu_ms")
    unchanged = row.get("verdict") == "nothing-better"
    best = original if unchanged else row.get("best_gpu_ms")
    expert = row.get("expert_ms")
    return {
        "least_ms": ms,
        "bound": bound,
        "original_share": ms / original if original else None,
        "share": ms / best if best else None,
        "expert_share": ms / expert if expert else None,
    }
