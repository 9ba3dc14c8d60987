//===- SafeTensors.cpp - Weights in the safetensors format ----------------===//

#include "cudal1/Network/SafeTensors.h"
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace cudal1;
using nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "tensors are copied as they lie in memory");

static constexpr size_t LengthBytes = sizeof(uint64_t);

/// One entry of the header; false, and a clause in \p Why, when it is not one.
static bool readTensor(const std::string &Name, const json &Entry,
                       std::string_view Data, Tensor &Out, std::string &Why) {
  if (!Entry.is_object() || Entry.value("dtype", json()) != "F32") {
    Why = "tensor '" + Name + "' is not of type F32";
    return false;
  }
  json Shape = Entry.value("shape", json());
  json Offsets = Entry.value("data_offsets", json());
  auto IsSize = [](const json &J) { return J.is_number_unsigned(); };
  if (!Shape.is_array() || !std::all_of(Shape.begin(), Shape.end(), IsSize) ||
      !Offsets.is_array() || Offsets.size() != 2 ||
      !std::all_of(Offsets.begin(), Offsets.end(), IsSize)) {
    Why = "tensor '" + Name + "' has no shape or no offsets";
    return false;
  }
  uint64_t Begin = Offsets[0], End = Offsets[1];
  if (Begin > End || End > Data.size()) {
    Why = "tensor '" + Name + "' lies beyond the end of the data";
    return false;
  }
  // Divided and not multiplied: a hostile shape must not overflow.
  uint64_t Left = (End - Begin) / sizeof(float);
  bool Fits = (End - Begin) % sizeof(float) == 0;
  for (const json &Extent : Shape) {
    uint64_t N = Extent;
    Fits = Fits && N > 0 && Left % N == 0;
    Left = Fits ? Left / N : 0;
    Out.Shape.push_back(static_cast<int64_t>(N));
  }
  if (!Fits || Left != 1) {
    Why = "tensor '" + Name + "' has another size than its shape says";
    return false;
  }
  Out.Values.resize((End - Begin) / sizeof(float));
  std::memcpy(Out.Values.data(), Data.data() + Begin, End - Begin);
  return true;
}

std::optional<SafeTensors> cudal1::parseSafeTensors(std::string_view Bytes,
                                                    std::string &Why) {
  uint64_t Length = 0;
  if (Bytes.size() >= LengthBytes)
    std::memcpy(&Length, Bytes.data(), LengthBytes);
  if (Length == 0 || Length > Bytes.size() - LengthBytes) {
    Why = "it is no safetensors file";
    return std::nullopt;
  }
  std::string_view Header = Bytes.substr(LengthBytes, Length);
  std::string_view Data = Bytes.substr(LengthBytes + Length);
  json Table = json::parse(Header, nullptr, /*allow_exceptions=*/false);
  if (!Table.is_object()) {
    Why = "its header is no JSON object";
    return std::nullopt;
  }
  SafeTensors File;
  for (const auto &[Name, Entry] : Table.items()) {
    if (Name == "__metadata__") {
      for (const auto &[Key, Value] : Entry.items())
        if (Value.is_string())
          File.Metadata[Key] = Value;
    } else if (!readTensor(Name, Entry, Data, File.Tensors[Name], Why)) {
      return std::nullopt;
    }
  }
  return File;
}

std::string cudal1::serialize(const SafeTensors &File) {
  json Table = json::object();
  Table["__metadata__"] = File.Metadata;
  uint64_t Offset = 0;
  for (const auto &[Name, T] : File.Tensors) {
    uint64_t End = Offset + T.Values.size() * sizeof(float);
    Table[Name] = {
        {"dtype", "F32"}, {"shape", T.Shape}, {"data_offsets", {Offset, End}}};
    Offset = End;
  }
  std::string Header = Table.dump();
  Header.append((LengthBytes - Header.size() % LengthBytes) % LengthBytes, ' ');
  uint64_t Length = Header.size();
  std::string Result(reinterpret_cast<const char *>(&Length), LengthBytes);
  Result += Header;
  for (const auto &[Name, T] : File.Tensors)
    Result.append(reinterpret_cast<const char *>(T.Values.data()),
                  T.Values.size() * sizeof(float));
  return Result;
}
