#include "cli/report.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "runtime/json_writer.h"

namespace rushlight::cli {
namespace {

struct Summary {
  double median = 0, p90 = 0, min = 0, mean = 0;
  int64_t calls = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

Summary summarise(const std::vector<std::vector<double>>& passes) {
  std::vector<double> ms;
  for (const auto& pass : passes) ms.insert(ms.end(), pass.begin(), pass.end());
  std::sort(ms.begin(), ms.end());
  const size_t n = ms.size();
  // p90: the smallest time that 90 % of the calls do not exceed.
  return {median(ms), ms[(9 * n + 9) / 10 - 1], ms.front(),
          std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(n),
          static_cast<int64_t>(n)};
}

double throughput(const Report& report) {
  std::vector<double> passes;
  for (const auto& pass : report.passes_ms)
    passes.push_back(std::accumulate(pass.begin(), pass.end(), 0.0));
  return static_cast<double>(report.samples) * 1e3 / median(passes);
}

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, pattern, args...);
  return buffer;
}

// 1,234,567
std::string grouped(std::string digits) {
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}
std::string grouped(int64_t number) { return grouped(std::to_string(number)); }

std::string duration(double ms) {
  if (ms < 1) return format("%.1f µs", ms * 1e3);
  return ms < 1e3 ? format("%.2f ms", ms) : format("%.2f s", ms / 1e3);
}

std::string typed(const Shown& value) {
  return value.name + ": " + (value.tensor ? describe(*value.tensor) : "no tensor");
}

using Fields = std::vector<std::pair<std::string, std::string>>;

void add_latency(Fields& fields, const Report& report) {
  const Summary ms = summarise(report.passes_ms);
  fields.emplace_back("latency", duration(ms.median) + " median, " + duration(ms.p90) + " p90, " +
                                     duration(ms.min) + " min (" + grouped(ms.calls) +
                                     (ms.calls == 1 ? " call)" : " calls)"));
  fields.emplace_back("throughput", grouped(format("%.0f", throughput(report))) + " samples/s");
}

void write_values(json::JsonWriter& json, const char* key, const std::vector<Shown>& values) {
  json.key(key).begin_array();
  for (const auto& [name, tensor] : values) {
    json.begin_object();
    json.key("name").value(name);
    if (tensor) {
      json.key("dtype").value(dtype_name(tensor->dtype));
      json.key("shape").begin_array();
      for (int64_t size : tensor->sizes) json.value(size);
      json.end_array();
    } else {
      json.key("dtype").null();
      json.key("shape").null();
    }
    json.end_object();
  }
  json.end_array();
}

double accuracy(const Report& report) {
  return static_cast<double>(*report.right) / static_cast<double>(report.labels);
}

}  // namespace

std::string as_table(const Report& report) {
  Fields fields;
  for (const Shown& input : report.inputs) fields.emplace_back("input", typed(input));
  for (const Shown& output : report.outputs) fields.emplace_back("output", typed(output));
  if (report.calls_per_pass > 1)
    fields.emplace_back("batches", grouped(report.calls_per_pass) + " of at most " +
                                       grouped(report.batch) + " samples");
  if (report.right)
    fields.emplace_back("accuracy", format("%.2f%%", 100 * accuracy(report)) + " (" +
                                        grouped(*report.right) + " of " + grouped(report.samples) +
                                        ")");
  if (!report.passes_ms.empty()) add_latency(fields, report);
  fields.emplace_back("threads", std::to_string(report.threads));
  if (!report.written.empty()) fields.emplace_back("written", report.written);

  size_t width = 0;
  for (const auto& field : fields) width = std::max(width, field.first.size());
  std::string out = report.model + '\n';
  for (const auto& [name, text] : fields)
    out += "  " + name + std::string(width - name.size() + 2, ' ') + text + '\n';
  return out;
}

std::string as_json(const Report& report) {
  json::JsonWriter json(2);
  json.begin_object();
  json.key("model").value(report.model);
  write_values(json, "inputs", report.inputs);
  write_values(json, "outputs", report.outputs);
  json.key("samples").value(report.samples);
  json.key("calls_per_pass").value(report.calls_per_pass);
  json.key("batch").value(report.batch);
  json.key("threads").value(report.threads);
  if (!report.passes_ms.empty()) {
    const Summary ms = summarise(report.passes_ms);
    json.key("latency_ms").begin_object();
    json.key("median").value(ms.median);
    json.key("p90").value(ms.p90);
    json.key("min").value(ms.min);
    json.key("mean").value(ms.mean);
    json.key("calls").value(ms.calls);
    json.end_object();
    json.key("throughput_per_s").value(throughput(report));
  }
  if (report.right) {
    json.key("accuracy").value(accuracy(report));
    json.key("right").value(*report.right);
  }
  json.end_object();
  return json.take() + '\n';
}

}  // namespace rushlight::cli
