#include "trace/analysis/ask.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask_parts.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/passes.hpp"
#include "trace/analysis/within.hpp"
#include "trace/events/events.hpp"
#include "trace/human.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Words of which any speaks for a question, and how strongly. Words that a question shares with
/// others ("time", "forward") speak weakly, so that what it is really about decides. A weight below
/// 0 speaks against it.
struct Cue {
  std::string_view words;
  int weight;
};

struct Question {
  QuestionName name;
  std::array<Cue, 4> cues;
  /// Whether it is asked of the part of the profile inside the range; otherwise it knows ranges.
  bool of_part;
  Report (*answer)(Analysis&, const AskOptions&);
};

constexpr std::array<Question, 12> kQuestions = {{
    {{"forward-time", "How long does the forward pass take, and does a measured time agree?"},
     {{{"forward fwd", 2},
       {"long time timing measured match matches agree timeit duration latency cost expensive slow "
        "milliseconds seconds",
        2},
       {"pass", 1},
       {}}},
     false,
     &ask_forward_time},
    // Of both passes, the forward one is told.
    {{"backward-time", "How long does the backward pass take?"},
     {{{"backward bwd backprop backpropagation", 2},
       {"long time timing measured duration latency cost expensive slow", 2},
       {},
       {}}},
     false,
     &ask_backward_time},
    {{"optimizer-time", "How long does the optimizer's step take?"},
     {{{"optimizer optimiser optimizers adam adamw", 3},
       {"long time timing duration latency cost expensive slow", 2},
       {},
       {}}},
     false,
     &ask_optimizer_time},
    {{"top-kernel", "Which kernel takes the most GPU time, and how often does it run?"},
     {{{"kernel kernels", 3},
       {"most top expensive slowest hottest cumulative dominate dominates dominant costliest "
        "biggest largest longest time-consuming",
        3},
       {"invoked often", 1},
       {"occupancy grid registers memory-bound compute-bound layer line cpu api most-often "
        "frequently frequent",
        -6}}},
     false,
     &ask_top_kernel},
    {{"besides-matmul", "What takes time besides matrix multiplication?"},
     {{{"besides non-matmul non-gemm non-matrix-multiply non-matrix-multiplication non-trivial "
        "except "
        "excluding",
        8},
       {"kernels matmul matrix", 1},
       {},
       {}}},
     false,
     &ask_besides_matmul},
    {{"class-shares", "How do the shares of operations change, from inference to training?"},
     {{{"share shares fraction fractions proportion portion distribution", 8},
       {"percentage percent", 4},
       {"change changes compared inference training", 1},
       {"idle busy hidden exposed overlap overlapped communication nccl memcpy", -6}}},
     false,
     &ask_class_shares},
    {{"attention", "How do softmax and matrix multiplication compare inside attention?"},
     {{{"softmax", 6}, {"attention self-attention", 5}, {"flops compare matmul", 1}, {}}},
     false,
     &ask_attention},
    {{"idle", "Why is the GPU idle?"},
     {{{"idle gaps gap busy utilisation utilization underutilised underutilized starved wait waits "
        "waiting bubble bubbles nothing dataloader data-loading data-loader",
        6},
       {},
       {},
       {}}},
     true,
     &ask_idle},
    {{"launch-bound", "Do launches keep up with the GPU?"},
     {{{"launch launches launch-bound cpu-bound host-bound", 6},
       {"many number count", -6},
       {},
       {}}},
     true,
     &ask_launch_bound},
    {{"communication", "Is communication hidden behind computation?"},
     {{{"communication nccl collectives collective all-reduce allreduce all-gather allgather "
        "reduce-scatter",
        6},
       {},
       {},
       {}}},
     true,
     &ask_communication},
    {{"copies", "What do memory copies cost, and do they run beside kernels?"},
     {{{"copies copy copied memcpy memcpys transfer transfers transferred moved pcie", 6},
       {},
       {},
       {}}},
     true,
     &ask_copies},
    {{"iterations", "How long is an iteration, and are iterations alike?"},
     {{{"iteration iterations", 6},
       {"step steps", 4},
       {"long alike", 1},
       {"optimizer optimiser prefill decode token tokens validation eval evaluation", -4}}},
     false,
     &ask_iterations},
}};

// Below this a text shares too little with a question to be it.
constexpr int kUnderstood = 4;

/// Words that mean one thing together, and the one word for it.
constexpr std::array<std::array<std::string_view, 3>, 12> kPhrases = {
    {{"other", "than", "besides"},
     {"most", "often", "most-often"},
     {"apart", "from", "besides"},
     {"aside", "from", "besides"},
     {"non", "matmul", "besides"},
     {"non", "gemm", "besides"},
     {"cpu", "bound", "cpu-bound"},
     {"memory", "bound", "memory-bound"},
     {"compute", "bound", "compute-bound"},
     {"data", "loading", "data-loading"},
     {"data", "loader", "data-loader"},
     {"launch", "bound", "launch-bound"}}};

void join_phrases(std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    for (const auto& [first, second, both] : kPhrases) {
      if (words[i] != first || words[i + 1] != second) continue;
      words[i] = both;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      break;
    }
  }
}

/// Lower-case words of letters and hyphens.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '-') {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool share_a_word(const std::vector<std::string>& asked, std::string_view list) {
  return std::ranges::any_of(words_of(list), [&](const std::string& word) {
    return std::ranges::find(asked, word) != asked.end();
  });
}

int fit(const Question& question, const std::vector<std::string>& asked) {
  int score = 0;
  for (const Cue& cue : question.cues) {
    if (share_a_word(asked, cue.words)) score += cue.weight;
  }
  return score;
}

Report ask_part(Analysis& analysis, const Question& question, const AskOptions& options) {
  const auto chosen = analysis.ranges_named(options.range);
  if (!chosen) return Answer().abstained(chosen.error().message());
  const Trace part = trace_within(analysis.trace(), *chosen, options.rule);
  Analysis inside(part, analysis.classifier());
  Report report = question.answer(inside, options);
  report.facts.emplace_back("range", "Inside range", options.range);
  return report;
}

/// The pass that a text names, where it names one alone.
PassKind pass_of(const std::vector<std::string>& asked) {
  const bool forward = share_a_word(asked, "forward fwd");
  const bool backward = share_a_word(asked, "backward bwd backprop backpropagation");
  const bool optimizer = share_a_word(asked, "optimizer optimiser optimizers");
  const bool training = share_a_word(asked, "train training");
  if (forward || training || backward == optimizer) return PassKind::forward;
  return backward ? PassKind::backward : PassKind::optimizer;
}

Error not_understood(std::string_view text) {
  std::string list;
  for (const Question& question : kQuestions) {
    list += fmt::format("\n  {:<16}{}", question.name.name, question.name.question);
  }
  return {ErrorCode::invalid_argument,
          fmt::format("'{}' is not a question I know. These are:{}", text, list)};
}

}  // namespace

Report Answer::answered(std::string message, std::vector<Fact> evidence) && {
  report.findings.insert(report.findings.begin(), {.kind = FindingKind::answer,
                                                   .name = report.title,
                                                   .title = "Answer",
                                                   .message = std::move(message),
                                                   .evidence = std::move(evidence)});
  return std::move(report);
}

Report Answer::abstained(std::string reason) && {
  report.findings.insert(report.findings.begin(), {.kind = FindingKind::abstention,
                                                   .name = report.title,
                                                   .title = "No answer",
                                                   .message = std::move(reason)});
  return std::move(report);
}

std::string shown(std::int64_t nanoseconds) {
  return humanize(Cell(nanoseconds), ColumnType::duration);
}

std::string shown(double nanoseconds) {
  return humanize(Cell(nanoseconds), ColumnType::duration);
}

std::string within(std::string_view range) {
  return range.empty() ? "in the whole profile" : fmt::format("inside '{}'", range);
}

std::string without_calls(const Trace& trace) {
  const double lost = without_call_pct(trace);
  if (lost < 1) return {};
  return fmt::format(
      " The calls that launched {}% of the profile's kernel time are not recorded: those kernels "
      "are in no range, and are not counted here.",
      lost);
}

std::vector<QuestionName> questions() {
  std::vector<QuestionName> names;
  names.reserve(kQuestions.size());
  for (const Question& question : kQuestions) names.push_back(question.name);
  return names;
}

Result<std::string_view> which_question(std::string_view text) {
  for (const Question& question : kQuestions) {
    if (question.name.name == text) return question.name.name;
  }
  std::vector<std::string> asked = words_of(text);
  join_phrases(asked);
  const Question* found = nullptr;
  int best = kUnderstood - 1;
  bool alone = false;
  for (const Question& question : kQuestions) {
    const int score = fit(question, asked);
    if (score < best || score < kUnderstood) continue;
    alone = score > best;
    best = score;
    found = &question;
  }
  if (found == nullptr || !alone) return std::unexpected(not_understood(text));
  return found->name.name;
}

Result<Report> ask(Analysis& analysis, std::string_view question, const AskOptions& asked) {
  ASSAY_TRY(const std::string_view name, which_question(question));
  AskOptions options = asked;
  const bool of_kernels = name == "top-kernel" || name == "besides-matmul";
  if (of_kernels && name != question) options.pass = pass_of(words_of(question));
  const auto* known =
      std::ranges::find(kQuestions, name, [](const Question& q) { return q.name.name; });
  Report report = known->of_part && !options.range.empty() ? ask_part(analysis, *known, options)
                                                           : known->answer(analysis, options);
  report.findings.front().name = name;
  report.title = known->name.question;
  report.diagnostics.merge(analysis.trace().diagnostics);
  return report;
}

}  // namespace assay::trace
