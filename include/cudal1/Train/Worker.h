//===- Worker.h - Kernels measured now, by cuda-l1-env ----------*- C++ -*-===//
///
/// \file
/// docs/environment.md has the protocol; its words stand in Worker.cpp only.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_TRAIN_WORKER_H
#define CUDAL1_TRAIN_WORKER_H

#include "cudal1/Train/Trainer.h"

namespace cudal1 {

/// One cuda-l1-env behind a launcher, asked one line of JSON at a time.
class Worker {
public:
  /// \p Launcher and \p Command are split at spaces: "srun -n1",
  /// "cuda-l1-env --no-cache". Throws TrainError when it cannot be started or
  /// speaks another protocol.
  Worker(const std::string &Launcher, const std::string &Command);
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  /// \p Request and the answer are JSON objects as text. Throws TrainError when
  /// the worker has ended; an answer with `error` is returned.
  std::string ask(const std::string &Request);
  /// The GPU's name; "" when it has none.
  const std::string &gpu() const { return Gpu; }

private:
  std::string Name, Gpu, Buffer;
  int In = -1, Out = -1;
  int Process = -1;
};

/// One kernel of a program, as a worker measures it. What was seen stays known
/// when another worker goes on with it.
class WorkerEnvironment : public Environment {
public:
  WorkerEnvironment(std::string Program, std::string Kernel);
  ~WorkerEnvironment() override;

  /// From now on \p W is asked. Throws TrainError when it cannot open the
  /// kernel.
  void attach(Worker &W);

  std::string name() const override { return Program + ":" + Kernel; }
  NodeId root() const override { return 0; }
  const NodeView &node(NodeId Node) override;
  NodeId lead(NodeId Node, size_t Action) override;
  NodeId walk(NodeId Node, size_t Action) override;
  /// What needs a second look is measured twice, in sessions of their own, and
  /// the smaller speedup counts.
  StepResult measure(NodeId Node, size_t Action) override;

  /// Measured so far.
  const std::vector<RecordedStep> &steps() const { return Steps; }
  /// Lines of the record for what was measured since the last call.
  std::string takeLines();

private:
  struct Entry;

  void open();
  void goTo(NodeId Node);
  NodeId take(const std::string &Sites);
  StepResult measureOnce(NodeId Node, size_t Action);

  std::string Program, Kernel;
  Worker *W = nullptr;
  NodeId At = NoNode; ///< where the worker stands
  std::map<std::string, NodeId> Ids;
  std::vector<std::unique_ptr<Entry>> Nodes;
  std::vector<RecordedStep> Steps;
  double Best = 0;
};

/// Groups measured by several workers at the same time. What they measure is
/// appended to a record file.
class WorkerGroups : public GroupSource {
public:
  explicit WorkerGroups(const WorkerRules &Rules);
  ~WorkerGroups() override;
  size_t kernels() const override { return Kernels.size(); }
  std::vector<GroupResult> run(const std::vector<size_t> &Wanted,
                               const NetworkScorer &Policy,
                               const TrainConfig &C,
                               std::vector<Random> Chances) override;

private:
  void append(const std::string &Lines);

  WorkerRules Rules;
  std::vector<std::unique_ptr<Worker>> Workers;
  std::vector<std::unique_ptr<WorkerEnvironment>> Kernels;
};

} // namespace cudal1

#endif // CUDAL1_TRAIN_WORKER_H
