//===- Curves.h - Figures over time, kept and drawn -------------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_CURVES_H
#define CUDAL1_TRAIN_CURVES_H

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace cudal1 {

/// One line of a picture.
struct Curve {
  std::string Name;
  std::vector<std::pair<double, double>> Points; ///< in order of x
};

struct Chart {
  std::string Title;
  std::string XLabel, YLabel;
  std::vector<Curve> Curves;
};

/// An SVG picture of \p Charts, one below the other.
std::string drawSvg(const std::vector<Chart> &Charts);

/// Figures of a training run by name: "clone/loss" → (iteration, value).
using RunCurves = std::map<std::string, std::vector<std::pair<double, double>>>;

/// Exact: what is read back is the same to the bit.
std::string curvesToJson(const RunCurves &Curves);
RunCurves curvesFromJson(const std::string &Text);

/// All runs' figures in one SQLite file: tables `runs` and `figures`.
class RunLog {
public:
  /// Opens or makes \p Path and enters a run of the given name, or continues
  /// the one that is there. Throws TrainError.
  RunLog(const std::filesystem::path &Path, const std::string &Run,
         const std::string &Settings);
  ~RunLog();
  RunLog(const RunLog &) = delete;
  RunLog &operator=(const RunLog &) = delete;

  /// Drops what the run has logged beyond \p Curves, and enters these.
  void restore(const RunCurves &Curves);
  void add(const std::string &Name, double Iteration, double Value);

private:
  void execute(const std::string &Sql);

  struct Database;
  Database *Open;
  long long Run = 0;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_CURVES_H
