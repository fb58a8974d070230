#include "pt2_enums.h"

namespace rushlight::pt2 {
namespace {

constexpr std::pair<int64_t, DType> kDTypes[] = {
    {1, DType::UInt8},      {2, DType::Int8},        {3, DType::Int16},   {4, DType::Int32},
    {5, DType::Int64},      {6, DType::Float16},     {7, DType::Float32}, {8, DType::Float64},
    {10, DType::Complex64}, {11, DType::Complex128}, {12, DType::Bool},   {13, DType::BFloat16}};

constexpr std::pair<int64_t, std::string_view> kUnsupported[] = {
    {9, "complex32"},       {28, "uint16"},          {29, "float8_e4m3fn"},
    {30, "float8_e5m2"},    {31, "float8_e4m3fnuz"}, {32, "float8_e5m2fnuz"},
    {33, "float8_e8m0fnu"}, {34, "uint32"},          {35, "uint64"}};

}  // namespace

DType dtype_from_number(json::Value number) {
  const int64_t n = number.as_int();
  for (const auto& [code, dtype] : kDTypes)
    if (code == n) return dtype;
  for (const auto& [code, name] : kUnsupported)
    RL_CHECK(code != n, NotImplemented, number.path(), ": dtype ", name, " is not supported");
  RL_FAIL(Value, number.path(), ": unknown dtype number ", n);
}

MemoryFormat memory_format_from_number(json::Value number) {
  switch (const int64_t n = number.as_int()) {
    case 1:
      return MemoryFormat::Contiguous;
    case 2:
      return MemoryFormat::ChannelsLast;
    case 3:
      return MemoryFormat::ChannelsLast3d;
    case 4:
      return MemoryFormat::Preserve;
    default:
      RL_FAIL(Value, number.path(), ": unknown memory format number ", n);
  }
}

int64_t number_of(DType dtype) {
  for (const auto& [code, known] : kDTypes)
    if (known == dtype) return code;
  RL_FAIL(NotImplemented, "PT2 archives have no number for the dtype ", dtype_name(dtype));
}

int64_t number_of(MemoryFormat format) {
  switch (format) {
    case MemoryFormat::Contiguous:
      return 1;
    case MemoryFormat::ChannelsLast:
      return 2;
    case MemoryFormat::ChannelsLast3d:
      return 3;
    case MemoryFormat::Preserve:
      break;
  }
  return 4;
}

}  // namespace rushlight::pt2
