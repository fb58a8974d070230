#include "cli/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "runtime/json_writer.h"

namespace rushlight::cli {
namespace {

std::vector<int64_t> as_integers(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  std::vector<int64_t> out(static_cast<size_t>(dense.numel()));
  dispatch_dtype(dense.dtype, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) std::copy_n(dense.data<T>(), out.size(), out.begin());
  });
  return out;
}

std::vector<int64_t> argmax_rows(const Tensor& scores) {
  const Tensor dense = scores.contiguous();
  const size_t rows = static_cast<size_t>(dense.sizes[0]);
  const auto columns = static_cast<std::ptrdiff_t>(dense.sizes[1]);
  std::vector<int64_t> out(rows);
  dispatch_dtype(dense.dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, complex64> && !std::is_same_v<T, complex128>) {
      const auto value = [](T v) { return static_cast<double>(v); };
      for (size_t i = 0; i < rows; ++i) {
        const T* row = dense.data<T>() + static_cast<std::ptrdiff_t>(i) * columns;
        out[i] =
            std::max_element(row, row + columns, [&](T a, T b) { return value(a) < value(b); }) -
            row;
      }
    }
  });
  return out;
}

struct Latency {
  double median = 0, p90 = 0, min = 0;
};

Latency summarise(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  const size_t n = ms.size();
  const double median = n % 2 ? ms[n / 2] : (ms[n / 2 - 1] + ms[n / 2]) / 2;
  // The smallest value that at least 90 % of the calls do not exceed.
  return {median, ms[(9 * n + 9) / 10 - 1], ms.front()};
}

// Calls per second, times the batch where first input and first output share their first size.
double throughput(const Report& report, const Latency& latency) {
  double batch = 1;
  if (!report.inputs.empty() && !report.outputs.empty()) {
    const Dims& in = report.inputs[0].second.sizes;
    const Dims& out = report.outputs[0].second.sizes;
    if (!in.empty() && !out.empty() && in[0] == out[0] && in[0] > 0)
      batch = static_cast<double>(in[0]);
  }
  return batch * 1e3 / latency.median;
}

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, pattern, args...);
  return buffer;
}

std::string row(const char* title, const std::string& text) {
  return format("%-12s", title) + text + '\n';
}

std::string shown(const std::string& name, const Tensor& tensor) {
  return name + ": " + (tensor.defined() ? describe(tensor) : "None");
}

void write_tensors(json::JsonWriter& json, const char* key,
                   const std::vector<std::pair<std::string, Tensor>>& tensors) {
  json.key(key).begin_array();
  for (const auto& [name, tensor] : tensors) {
    json.begin_object();
    json.key("name").value(name);
    if (tensor.defined()) {
      json.key("dtype").value(dtype_name(tensor.dtype));
      json.key("shape").begin_array();
      for (int64_t size : tensor.sizes) json.value(size);
      json.end_array();
    } else {
      json.key("dtype").null();
      json.key("shape").null();
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Accuracy count_right(const Tensor& output, const Tensor& labels) {
  RL_CHECK(is_integral(labels.dtype) && labels.rank() == 1 && labels.numel() > 0, Value,
           "labels: expected a list of integers, got ", describe(labels));
  const int64_t n = labels.numel();
  const bool scores = output.defined() && output.rank() == 2 && output.sizes[0] == n &&
                      output.sizes[1] > 0 && !is_complex(output.dtype);
  const bool classes =
      output.defined() && output.rank() == 1 && output.sizes[0] == n && is_integral(output.dtype);
  RL_CHECK(scores || classes, Value, "labels: ", describe(labels), " do not fit the first output, ",
           output.defined() ? describe(output) : "None", ": expected scores of shape [", n,
           ", classes]");
  const std::vector<int64_t> wanted = as_integers(labels);
  const std::vector<int64_t> got = scores ? argmax_rows(output) : as_integers(output);
  Accuracy accuracy{0, n};
  for (size_t i = 0; i < wanted.size(); ++i) accuracy.right += wanted[i] == got[i];
  return accuracy;
}

std::string as_table(const Report& report) {
  std::string out = row("model", report.model);
  for (const auto& [name, tensor] : report.inputs) out += row("input", shown(name, tensor));
  for (const auto& [name, tensor] : report.outputs) out += row("output", shown(name, tensor));
  if (report.accuracy)
    out += row("accuracy", format("%.2f %% (%lld of %lld)", 100 * report.accuracy->value(),
                                  static_cast<long long>(report.accuracy->right),
                                  static_cast<long long>(report.accuracy->total)));
  if (!report.latencies_ms.empty()) {
    const Latency latency = summarise(report.latencies_ms);
    out += row("latency",
               format("%.3f ms median, %.3f ms p90, %.3f ms min (%zu calls)", latency.median,
                      latency.p90, latency.min, report.latencies_ms.size()));
    out += row("throughput", format("%.1f /s", throughput(report, latency)));
  }
  return out + row("threads", std::to_string(report.threads));
}

std::string as_json(const Report& report) {
  json::JsonWriter json(1);
  json.begin_object();
  json.key("model").value(report.model);
  write_tensors(json, "inputs", report.inputs);
  write_tensors(json, "outputs", report.outputs);
  if (report.accuracy) json.key("accuracy").value(report.accuracy->value());
  if (!report.latencies_ms.empty()) {
    const Latency latency = summarise(report.latencies_ms);
    json.key("latency_ms").begin_object();
    json.key("median").value(latency.median);
    json.key("p90").value(latency.p90);
    json.key("min").value(latency.min);
    json.end_object();
    json.key("throughput_per_s").value(throughput(report, latency));
  }
  json.key("threads").value(report.threads);
  json.end_object();
  return json.take() + '\n';
}

}  // namespace rushlight::cli
