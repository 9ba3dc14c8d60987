//===- Curves.cpp - Pictures of figures over time -------------------------===//

#include "cudal1/Train/Curves.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace cudal1;

// Of the picture, in pixels.
static constexpr double Width = 760, Height = 300;
static constexpr double Left = 64, Right = 190, Top = 34, Bottom = 46;
/// Told apart in grey and by most colour-blind readers (Okabe and Ito).
static constexpr std::array<const char *, 7> Colours = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7",
    "#56b4e9", "#e69f00", "#000000"};

namespace {

struct Range {
  double Low = INFINITY, High = -INFINITY;
  void add(double V) {
    if (!std::isfinite(V))
      return;
    Low = std::min(Low, V);
    High = std::max(High, V);
  }
  void settle() {
    if (!(Low <= High))
      Low = 0, High = 1;
    if (High - Low < 1e-9)
      High = Low + 1;
  }
};

/// A round step that gives about five marks.
double markStep(const Range &R) {
  double Rough = (R.High - R.Low) / 5;
  double Power = std::pow(10, std::floor(std::log10(Rough)));
  for (double Factor : {1.0, 2.0, 5.0})
    if (Factor * Power >= Rough)
      return Factor * Power;
  return 10 * Power;
}

std::string number(double V) {
  char Buffer[32];
  std::snprintf(Buffer, sizeof Buffer, "%.4g", std::abs(V) < 1e-12 ? 0 : V);
  return Buffer;
}

std::string escaped(const std::string &Text) {
  std::string Result;
  for (char C : Text)
    Result += C == '<' ? "&lt;" : C == '&' ? "&amp;" : std::string(1, C);
  return Result;
}

std::string text(double X, double Y, const char *Anchor,
                 const std::string &What) {
  return "<text x=\"" + number(X) + "\" y=\"" + number(Y) +
         "\" text-anchor=\"" + Anchor + "\">" + escaped(What) + "</text>\n";
}

std::string line(double X1, double Y1, double X2, double Y2) {
  return "<line x1=\"" + number(X1) + "\" y1=\"" + number(Y1) + "\" x2=\"" +
         number(X2) + "\" y2=\"" + number(Y2) + "\" stroke=\"#ddd\"/>\n";
}

class ChartDrawing {
public:
  ChartDrawing(const Chart &C, double Above) : C(C), Above(Above) {
    for (const Curve &One : C.Curves)
      for (auto [PX, PY] : One.Points) {
        X.add(PX);
        Y.add(PY);
      }
    X.settle();
    Y.settle();
  }
  std::string draw() const;

private:
  double toX(double V) const {
    return Left + (V - X.Low) / (X.High - X.Low) * (Width - Left - Right);
  }
  double toY(double V) const {
    return Above + Height - Bottom -
           (V - Y.Low) / (Y.High - Y.Low) * (Height - Top - Bottom);
  }
  std::string axes() const;

  const Chart &C;
  double Above;
  Range X, Y;
};

} // namespace

std::string ChartDrawing::axes() const {
  std::string Result;
  double Step = markStep(Y);
  for (double V = std::ceil(Y.Low / Step) * Step; V <= Y.High + 1e-9; V += Step)
    Result += line(Left, toY(V), Width - Right, toY(V)) +
              text(Left - 6, toY(V) + 4, "end", number(V));
  Step = markStep(X);
  for (double V = std::ceil(X.Low / Step) * Step; V <= X.High + 1e-9; V += Step)
    Result += text(toX(V), Above + Height - Bottom + 16, "middle", number(V));
  Result +=
      text((Left + Width - Right) / 2, Above + Height - 10, "middle", C.XLabel);
  Result += text(Left, Above + 18, "start", C.Title + " — " + C.YLabel);
  return Result;
}

std::string ChartDrawing::draw() const {
  std::string Result = axes();
  for (size_t I = 0; I < C.Curves.size(); ++I) {
    const Curve &One = C.Curves[I];
    const char *Colour = Colours[I % Colours.size()];
    std::string Points;
    for (auto [PX, PY] : One.Points)
      if (std::isfinite(PY))
        Points += number(toX(PX)) + "," + number(toY(PY)) + " ";
    Result += "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" +
              std::string(Colour) + "\" points=\"" + Points + "\"/>\n";
    double LabelY = Above + Top + 16 * static_cast<double>(I) + 8;
    Result += "<g fill=\"" + std::string(Colour) + "\">" +
              text(Width - Right + 12, LabelY, "start", One.Name) + "</g>\n";
  }
  return Result;
}

std::string cudal1::drawSvg(const std::vector<Chart> &Charts) {
  double All = Height * static_cast<double>(Charts.size());
  std::string Size =
      "width=\"" + number(Width) + "\" height=\"" + number(All) + "\"";
  std::string Result = "<svg xmlns=\"http://www.w3.org/2000/svg\" " + Size +
                       " font-family=\"sans-serif\" font-size=\"12\">\n"
                       "<rect " +
                       Size + " fill=\"white\"/>\n";
  for (size_t I = 0; I < Charts.size(); ++I)
    Result += ChartDrawing(Charts[I], Height * static_cast<double>(I)).draw();
  return Result + "</svg>\n";
}

std::string cudal1::curvesToJson(const RunCurves &Curves) {
  return nlohmann::json(Curves).dump();
}

RunCurves cudal1::curvesFromJson(const std::string &Text) {
  return nlohmann::json::parse(Text).get<RunCurves>();
}
