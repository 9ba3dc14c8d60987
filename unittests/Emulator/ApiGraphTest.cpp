//===- ApiGraphTest.cpp ---------------------------------------------------===//

#include "ApiTestKernels.h"
#include <vector>

using namespace cudal1::test;

namespace {

class GraphTest : public ApiTest {
protected:
  GraphTest() {
    cudaStreamCreate(&Stream);
    cudaStreamCreate(&Other);
    cudaMalloc(reinterpret_cast<void **>(&Device), Count * sizeof(int));
    cudaMemset(Device, 0, Count * sizeof(int));
  }
  ~GraphTest() override {
    cudaFree(Device);
    cudaStreamDestroy(Stream);
    cudaStreamDestroy(Other);
  }
  int first() {
    int Value = -1;
    EXPECT_EQ(cudaMemcpy(&Value, Device, sizeof(int), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return Value;
  }
  cudaGraph_t endCapture() {
    cudaGraph_t Graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(Stream, &Graph), cudaSuccess);
    return Graph;
  }
  void launchTimes(cudaGraph_t Graph, int Times) {
    cudaGraphExec_t Exec;
    ASSERT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
    for (int I = 0; I < Times; ++I)
      EXPECT_EQ(cudaGraphLaunch(Exec, Stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(Stream), cudaSuccess);
    EXPECT_EQ(cudaGraphExecDestroy(Exec), cudaSuccess);
  }
  cudaKernelNodeParams addParams() {
    Arguments[0] = &Device;
    Arguments[1] = &CountArgument;
    cudaKernelNodeParams P = {};
    P.func = const_cast<void *>(AddOne);
    P.gridDim = 2;
    P.blockDim = 32;
    P.kernelParams = Arguments;
    return P;
  }

  static constexpr int Count = 64;
  int CountArgument = Count;
  void *Arguments[2] = {};
  cudaStream_t Stream = nullptr, Other = nullptr;
  int *Device = nullptr;
};

TEST_F(GraphTest, CapturedWorkIsDoneWhenTheGraphIsLaunched) {
  int Result = -1;
  ASSERT_EQ(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  cudaStreamCaptureStatus Status;
  EXPECT_EQ(cudaStreamIsCapturing(Stream, &Status), cudaSuccess);
  EXPECT_EQ(Status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaMemsetAsync(Device, 0, Count * sizeof(int), Stream),
            cudaSuccess);
  for (int I = 0; I < 3; ++I)
    EXPECT_EQ(launch(AddOne, 2, 32, Stream, Device, Count), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(&Result, Device, sizeof(int),
                            cudaMemcpyDeviceToHost, Stream),
            cudaSuccess);
  cudaGraph_t Graph = endCapture();
  EXPECT_EQ(Result, -1);
  EXPECT_EQ(first(), 0);
  size_t Nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(Graph, nullptr, &Nodes), cudaSuccess);
  EXPECT_EQ(Nodes, 5u);
  launchTimes(Graph, 2);
  EXPECT_EQ(Result, 3);
  EXPECT_EQ(cudaGraphDestroy(Graph), cudaSuccess);
}

TEST_F(GraphTest, ACaptureSpreadsByEvents) {
  cudaEvent_t Fork, Join;
  cudaEventCreate(&Fork);
  cudaEventCreate(&Join);
  ASSERT_EQ(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  EXPECT_EQ(cudaEventRecord(Fork, Stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(Other, Fork, 0), cudaSuccess);
  EXPECT_EQ(launch(AddOne, 2, 32, Other, Device, Count), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(Join, Other), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(Stream, Join, 0), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(Join), cudaErrorCapturedEvent);
  cudaGraph_t Graph = endCapture();
  EXPECT_EQ(first(), 0);
  launchTimes(Graph, 1);
  EXPECT_EQ(first(), 1);
  cudaGraphDestroy(Graph);
  // The other stream is its own again.
  EXPECT_EQ(launch(AddOne, 2, 32, Other, Device, Count), cudaSuccess);
  EXPECT_EQ(first(), 2);
  cudaEventDestroy(Fork);
  cudaEventDestroy(Join);
}

TEST_F(GraphTest, WorkThatDoesNotComeBackIsUnjoined) {
  cudaEvent_t Fork;
  cudaEventCreate(&Fork);
  ASSERT_EQ(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  cudaEventRecord(Fork, Stream);
  cudaStreamWaitEvent(Other, Fork, 0);
  EXPECT_EQ(launch(AddOne, 2, 32, Other, Device, Count), cudaSuccess);
  cudaGraph_t Graph;
  EXPECT_EQ(cudaStreamEndCapture(Stream, &Graph),
            cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(Graph, nullptr);
  cudaEventDestroy(Fork);
}

TEST_F(GraphTest, WaitingEndsACapture) {
  ASSERT_EQ(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(Stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(launch(AddOne, 2, 32, Stream, Device, Count),
            cudaErrorStreamCaptureInvalidated);
  cudaGraph_t Graph;
  EXPECT_EQ(cudaStreamEndCapture(Stream, &Graph),
            cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
}

TEST_F(GraphTest, NodesFollowTheirDependenciesNotTheirAge) {
  cudaGraph_t Graph;
  ASSERT_EQ(cudaGraphCreate(&Graph, 0), cudaSuccess);
  int Result = -1;
  cudaGraphNode_t Copy, Kernel, Fill;
  EXPECT_EQ(cudaGraphAddMemcpyNode1D(&Copy, Graph, nullptr, 0, &Result, Device,
                                     sizeof(int), cudaMemcpyDeviceToHost),
            cudaSuccess);
  cudaKernelNodeParams P = addParams();
  EXPECT_EQ(cudaGraphAddKernelNode(&Kernel, Graph, nullptr, 0, &P),
            cudaSuccess);
  cudaMemsetParams Seven = {};
  Seven.dst = Device;
  Seven.value = 7;
  Seven.elementSize = 4;
  Seven.width = Count;
  Seven.height = 1;
  EXPECT_EQ(cudaGraphAddMemsetNode(&Fill, Graph, nullptr, 0, &Seven),
            cudaSuccess);
  cudaGraphNode_t From[] = {Fill, Kernel}, To[] = {Kernel, Copy};
  EXPECT_EQ(cudaGraphAddDependencies(Graph, From, To, nullptr, 2), cudaSuccess);
  launchTimes(Graph, 1);
  EXPECT_EQ(Result, 8);
  EXPECT_EQ(cudaGraphAddDependencies(Graph, &Copy, &Fill, nullptr, 1),
            cudaSuccess);
  cudaGraphExec_t Exec;
  EXPECT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(Graph), cudaSuccess);
}

TEST_F(GraphTest, AnExecutableGraphTakesOtherArguments) {
  cudaGraph_t Graph;
  cudaGraphNode_t Kernel;
  cudaGraphExec_t Exec;
  int *More;
  ASSERT_EQ(cudaGraphCreate(&Graph, 0), cudaSuccess);
  cudaMalloc(reinterpret_cast<void **>(&More), Count * sizeof(int));
  cudaMemset(More, 0, Count * sizeof(int));
  cudaKernelNodeParams P = addParams();
  ASSERT_EQ(cudaGraphAddKernelNode(&Kernel, Graph, nullptr, 0, &P),
            cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  Arguments[0] = &More;
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(Exec, Kernel, &P), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(Exec, Stream), cudaSuccess);
  EXPECT_EQ(first(), 0);
  int Value;
  cudaMemcpy(&Value, More, sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT_EQ(Value, 1);
  // An update brings the original's arguments back.
  cudaGraphExecUpdateResultInfo Info;
  EXPECT_EQ(cudaGraphExecUpdate(Exec, Graph, &Info), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(Exec, Stream), cudaSuccess);
  EXPECT_EQ(first(), 1);
  cudaFree(More);
  cudaGraphExecDestroy(Exec);
  cudaGraphDestroy(Graph);
}

TEST_F(GraphTest, GraphsAndHostFunctionsAreNodes) {
  cudaGraph_t Graph, Child;
  ASSERT_EQ(cudaGraphCreate(&Graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphCreate(&Child, 0), cudaSuccess);
  cudaGraphNode_t Kernel, Inner, Host;
  cudaKernelNodeParams P = addParams();
  EXPECT_EQ(cudaGraphAddKernelNode(&Kernel, Child, nullptr, 0, &P),
            cudaSuccess);
  EXPECT_EQ(cudaGraphAddChildGraphNode(&Inner, Graph, nullptr, 0, Child),
            cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(Child), cudaSuccess);
  int Calls = 0;
  cudaHostNodeParams H = {};
  H.fn = [](void *Data) { ++*static_cast<int *>(Data); };
  H.userData = &Calls;
  EXPECT_EQ(cudaGraphAddHostNode(&Host, Graph, &Inner, 1, &H), cudaSuccess);
  cudaGraphNodeType Type;
  EXPECT_EQ(cudaGraphNodeGetType(Host, &Type), cudaSuccess);
  EXPECT_EQ(Type, cudaGraphNodeTypeHost);
  launchTimes(Graph, 3);
  EXPECT_EQ(first(), 3);
  EXPECT_EQ(Calls, 3);
  cudaGraphDestroy(Graph);
}

TEST_F(GraphTest, MemoryOfAGraphOutlivesItWhereTheProgramHasIt) {
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  int *Inside;
  ASSERT_EQ(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(reinterpret_cast<void **>(&Inside),
                            Count * sizeof(int), Stream),
            cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(Inside, 0, Count * sizeof(int), Stream),
            cudaSuccess);
  Graph = endCapture();
  ASSERT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(Graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(Exec, Stream), cudaSuccess);
  uint64_t Used = 0;
  EXPECT_EQ(
      cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &Used),
      cudaSuccess);
  EXPECT_EQ(Used, Count * sizeof(int));
  // A second launch needs the memory back.
  EXPECT_EQ(cudaGraphLaunch(Exec, Stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(Inside), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(Exec, Stream), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(Exec), cudaSuccess);
  EXPECT_EQ(launch(AddOne, 2, 32, Stream, Inside, Count), cudaSuccess);
  EXPECT_EQ(cudaFree(Inside), cudaSuccess);
  EXPECT_EQ(cudaFree(Inside), cudaErrorInvalidValue);
}

TEST_F(GraphTest, MemoryThatAGraphFreesGoesWithIt) {
  ASSERT_EQ(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  int *Inside;
  EXPECT_EQ(cudaMallocAsync(reinterpret_cast<void **>(&Inside),
                            Count * sizeof(int), Stream),
            cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(Inside, 0, Count * sizeof(int), Stream),
            cudaSuccess);
  EXPECT_EQ(launch(AddOne, 2, 32, Stream, Inside, Count), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(Device, Inside, sizeof(int),
                            cudaMemcpyDeviceToDevice, Stream),
            cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(Inside, Stream), cudaSuccess);
  cudaGraph_t Graph = endCapture();
  launchTimes(Graph, 2);
  EXPECT_EQ(first(), 1);
  EXPECT_EQ(cudaGraphDestroy(Graph), cudaSuccess);
  cudaPointerAttributes A;
  EXPECT_EQ(cudaPointerGetAttributes(&A, Inside), cudaSuccess);
}

} // namespace
