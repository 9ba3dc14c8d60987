//===- EvaluationReport.cpp - Tables and pictures of an evaluation --------===//

#include "cudal1/Train/Curves.h"
#include "cudal1/Train/Evaluation.h"
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace cudal1;

static std::string format(const char *Format, double Value) {
  char Buffer[32];
  std::snprintf(Buffer, sizeof Buffer, Format, Value);
  return Buffer;
}

static std::string percent(double Share) {
  return format("%.1f %%", 100 * Share);
}

/// The columns of the table: 1, 2, 4, … and the last.
static std::vector<size_t> columnsOf(size_t Last) {
  std::vector<size_t> Result;
  for (size_t N = 1; N < Last; N *= 2)
    Result.push_back(N);
  Result.push_back(Last);
  return Result;
}

static std::string searchTable(const EvaluationReport &Report) {
  std::vector<size_t> Columns =
      columnsOf(Report.Searches.front().Share.size() - 1);
  std::string Head = "| search |", Rule = "|---|";
  for (size_t N : Columns) {
    Head += " " + std::to_string(N) + " |";
    Rule += "---:|";
  }
  std::string Result =
      Head + " for 90 % | speedup at the end |\n" + Rule + "---:|---:|\n";
  for (const SearchFigures &F : Report.Searches) {
    Result += "| " + F.Name + " |";
    for (size_t N : Columns)
      Result += " " + percent(F.Share[N]) + " |";
    Result += (F.For90 ? " " + std::to_string(F.For90) : " —") + " | " +
              format("%.3f", F.Speedup.back()) + " |\n";
  }
  return Result;
}

std::string cudal1::toMarkdown(const EvaluationReport &Report) {
  std::string Result =
      "Share of the best known log speedup after so many measured Variants, "
      "mean over\nthe " +
      std::to_string(Report.WithSomething) + " kernels (of " +
      std::to_string(Report.Kernels) +
      ") for which something worth having is known; the measurements needed "
      "for 90 %;\ngeometric mean of the speedups of all kernels.\n\n";
  Result += searchTable(Report);
  Result +=
      "\nProposed without measuring:\n\n"
      "| policy | kernels | not slower by 2 % | faster by 1 % | geometric "
      "mean | refused by verification |\n|---|---:|---:|---:|---:|---:|\n";
  for (const ProposalFigures &F : Report.Proposals)
    Result += "| " + F.Name + " | " + std::to_string(F.Kernels) + " | " +
              percent(F.NotSlower) + " | " + percent(F.Faster) + " | " +
              format("%.3f", F.Speedup) + " | " + std::to_string(F.Refused) +
              " |\n";
  return Result;
}

std::string cudal1::toJson(const EvaluationReport &Report) {
  nlohmann::json Searches = nlohmann::json::array();
  for (const SearchFigures &F : Report.Searches)
    Searches.push_back({{"name", F.Name},
                        {"share_of_best_known", F.Share},
                        {"speedup", F.Speedup},
                        {"measurements_for_90_percent", F.For90}});
  nlohmann::json Proposals = nlohmann::json::array();
  for (const ProposalFigures &F : Report.Proposals)
    Proposals.push_back({{"name", F.Name},
                         {"kernels", F.Kernels},
                         {"not_slower_by_2_percent", F.NotSlower},
                         {"faster_by_1_percent", F.Faster},
                         {"speedup", F.Speedup},
                         {"refused", F.Refused}});
  return nlohmann::json{{"kernels", Report.Kernels},
                        {"kernels_counted", Report.WithSomething},
                        {"searches", Searches},
                        {"proposals", Proposals}}
             .dump(2) +
         "\n";
}

std::string cudal1::toSvg(const EvaluationReport &Report) {
  Chart Share{
      "Share of the best known log speedup", "measured Variants", "mean", {}};
  Chart Speedup{"Speedup", "measured Variants", "geometric mean", {}};
  for (const SearchFigures &F : Report.Searches) {
    Curve A{F.Name, {}}, B{F.Name, {}};
    for (size_t I = 0; I < F.Share.size(); ++I) {
      A.Points.emplace_back(static_cast<double>(I), F.Share[I]);
      B.Points.emplace_back(static_cast<double>(I), F.Speedup[I]);
    }
    Share.Curves.push_back(std::move(A));
    Speedup.Curves.push_back(std::move(B));
  }
  return drawSvg({Share, Speedup});
}
