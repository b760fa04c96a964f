// Looks at the page in a real browser. Skipped where there is none. What it saw is kept in the
// build folder, under screenshots, for people to look at too.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/os.hpp"
#include "base/testkit/checkout.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/figures.hpp"
#include "trace/ncu/analyze.hpp"
#include "trace/ncu/sample_report.hpp"
#include "trace/page/png.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

constexpr std::uint32_t kGemm = 0x3a6fd8;
constexpr std::uint32_t kLightBackground = 0xf6f7f9;
constexpr std::uint32_t kDarkBackground = 0x12161c;

std::filesystem::path find_browser() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const auto candidate = std::filesystem::path(folder) / name;
      if (std::filesystem::exists(candidate)) return candidate;
    }
  }
  return {};
}

/// A report with every kind of figure: two lanes of five bars, six slices, a roofline.
Report sample_page() {
  Report report = analyze_ncu(testing::sample_report(), "sample: <two> launches").value();
  Timeline timeline;
  timeline.labels = {{"gemm<float>", "gemm"}, {"softmax", "softmax"}, {"HtoD", "copy"}};
  timeline.lanes = {{.name = "GPU 0 stream 7",
                     .spans = {{1000, 301000, 0}, {400000, 500000, 1}, {600000, 990000, 0}}},
                    {.name = "GPU 0 copies", .spans = {{0, 200000, 2}, {520000, 580000, 2}}}};
  report.figures.timeline = std::move(timeline);
  Breakdown breakdown{.title = "Kernel time", .unit = "ns"};
  breakdown.slices = {{"gemm<float>", "gemm", 500}, {"gemm<half>", "gemm", 300},
                      {"softmax", "softmax", 200},  {"layer_norm", "norm", 100},
                      {"add", "elementwise", 80},   {"mul", "elementwise", 20}};
  report.figures.breakdown = std::move(breakdown);
  return report;
}

/// The page of a small transformer's training, as `assay analyze --format html` makes it.
std::string timeline_page() {
  NsysFixture fixture;
  add_demo(fixture);
  Trace trace = read_nsys_sqlite(fixture.image()).value();
  trace.capture.file = "train.sqlite";
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  return render(make_report(analysis, {.figures = true}).value(), Format::html);
}

class Browser : public ::testing::Test {
 protected:
  void SetUp() override {
    browser_ = find_browser();
    if (browser_.empty()) GTEST_SKIP() << "no chromium on PATH";
  }

  /// Runs the browser on the page and returns what it printed.
  std::string open(const std::string& page, const std::string& arguments) {
    const auto file = dir_.path() / "page.html";
    EXPECT_TRUE(write_file_atomically(file, page));
    const auto out = dir_.path() / "out";
    const std::string command = fmt::format(
        "timeout 240 '{}' --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--enable-logging=stderr --hide-scrollbars --user-data-dir='{}/profile' "
        "--window-size=1400,2200 "
        "--virtual-time-budget=10000 {} 'file://{}' > '{}' 2> '{}.err'",
        browser_.string(), dir_.path().string(), arguments, file.string(), out.string(),
        out.string());
    const int status = std::system(command.c_str());
    log_ = read_file(out.string() + ".err").value_or("");
    EXPECT_EQ(status, 0) << log_;
    return read_file(out).value_or("");
  }

  testing::Image screenshot(const std::string& page, const std::string& arguments) {
    const auto file = dir_.path() / "shot.png";
    open(page, fmt::format("--screenshot='{}' {}", file.string(), arguments));
    keep(file);
    return testing::read_png(file).value();
  }

  /// What the page wrote to the console, errors of its scripts included.
  [[nodiscard]] bool console_is_silent() const {
    return log_.find(":CONSOLE") == std::string::npos;
  }

  std::string log_;
  TempDir dir_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-page-").value();

 private:
  static void keep(const std::filesystem::path& file) {
    const std::filesystem::path folder = testkit::build_dir() / "src/trace/screenshots";
    std::filesystem::create_directories(folder);
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::filesystem::copy_file(file, folder / (std::string(test->name()) + ".png"),
                               std::filesystem::copy_options::overwrite_existing);
  }

  std::filesystem::path browser_;
};

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

TEST_F(Browser, draws_every_figure_and_keeps_every_row) {
  const Report report = sample_page();
  const std::string dom = open(render(report, Format::html), "--dump-dom");
  EXPECT_NE(dom.find("data-ready=\"yes\""), std::string::npos);
  EXPECT_NE(dom.find("data-bars=\"5\""), std::string::npos);
  EXPECT_EQ(occurrences(dom, "<rect class=\"slice\""), 6U);
  EXPECT_EQ(occurrences(dom, "<circle class=\"point\""), 2U);
  EXPECT_EQ(occurrences(dom, "<path class=\"roof\""), 2U);
  std::size_t rows = 0;
  for (const Table& table : report.tables) rows += table.rows.size() + 1;
  EXPECT_EQ(occurrences(dom, "<tr>"), rows);
  EXPECT_TRUE(console_is_silent()) << log_;
}

TEST_F(Browser, sorts_and_filters_tables) {
  std::string page = render(sample_page(), Format::html);
  const std::string_view end = "</body></html>";
  page.insert(page.rfind(end), R"(<script>
    const table = document.querySelector('[data-table="kernels"] table');
    const click = () => table.querySelector('[title="duration_ns"]').click();
    const first = () => table.tBodies[0].rows[0].cells[0].textContent;
    click(); document.body.dataset.descending = first();
    click(); document.body.dataset.ascending = first();
    const input = document.querySelector('[data-table="kernels"] input');
    input.value = 'ELEMENTWISE'; input.dispatchEvent(new Event('input'));
    document.body.dataset.count =
        document.querySelector('[data-table="kernels"] .count').textContent;
  </script>)");
  const std::string dom = open(page, "--dump-dom");
  EXPECT_NE(dom.find("data-descending=\"0\""), std::string::npos);
  EXPECT_NE(dom.find("data-ascending=\"1\""), std::string::npos);
  EXPECT_NE(dom.find("data-count=\"1 of 2 rows\""), std::string::npos);
}

TEST_F(Browser, draws_a_profile_and_writes_nothing_to_the_console) {
  const std::string dom = open(timeline_page(), "--dump-dom");
  EXPECT_NE(dom.find("data-ready=\"yes\""), std::string::npos);
  EXPECT_GE(occurrences(dom, "<rect class=\"slice\""), 8U);  // a kernel each
  EXPECT_NE(dom.find(">ampere_sgemm_128x64_nn</text>"), std::string::npos);
  EXPECT_NE(dom.find(">softmax_warp_"), std::string::npos);  // without its namespaces
  EXPECT_TRUE(console_is_silent()) << log_;
}

TEST_F(Browser, names_the_points_of_a_roofline) {
  const std::string dom = open(render(sample_page(), Format::html), "--dump-dom");
  EXPECT_EQ(occurrences(dom, "class=\"point-name\""), 2U);
  EXPECT_NE(dom.find(">#0 nvjet_sm90_tst_256x128</text>"), std::string::npos);
}

TEST_F(Browser, shows_each_of_a_million_kernels_to_who_looks_closely) {
  Report report{.title = "many"};
  Timeline timeline;
  timeline.labels = {{"gemm", "gemm"}, {"softmax", "softmax"}};
  TimelineLane lane{.name = "GPU 0 stream 7"};
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    lane.spans.push_back({i * 1000, i * 1000 + 700, static_cast<std::uint32_t>(i % 2)});
  }
  timeline.lanes.push_back(std::move(lane));
  report.figures.timeline = std::move(timeline);
  std::string page = render(report, Format::html);
  EXPECT_LT(page.size(), 20'000'000U);
  const std::string_view end = "</body></html>";
  page.insert(page.rfind(end), R"(<script>
    const section = document.getElementById('timeline');
    document.body.dataset.far = section.dataset.detail;
    const canvas = section.querySelector('canvas');
    for (let i = 0; i < 52; ++i) {
      canvas.dispatchEvent(new KeyboardEvent('keydown', {key: '+'}));
    }
    setTimeout(() => {
      document.body.dataset.near = section.dataset.detail;
      document.body.dataset.drawn = section.dataset.bars;
    }, 3000);
  </script>)");
  const std::string dom = open(page, "--dump-dom");
  EXPECT_NE(dom.find("data-far=\"0\""), std::string::npos) << "not before anyone zooms";
  EXPECT_NE(dom.find("data-near=\"8192\""), std::string::npos) << "one tile of spans";
  // 0.8^52 of a second is 9.1 us: nine or ten kernels.
  EXPECT_TRUE(dom.find("data-drawn=\"10\"") != std::string::npos ||
              dom.find("data-drawn=\"9\"") != std::string::npos);
  EXPECT_TRUE(console_is_silent()) << log_;
}

TEST_F(Browser, would_have_told_of_a_script_that_fails) {
  open("<!doctype html><script>throw new Error('broken')</script>", "--dump-dom");
  EXPECT_FALSE(console_is_silent()) << log_;
}

TEST_F(Browser, shows_the_timeline_of_a_profile) {
  const testing::Image image =
      screenshot(timeline_page(), "--blink-settings=preferredColorScheme=1");
  EXPECT_GT(image.distinct_colours(), 200U);
  EXPECT_GT(image.count(kGemm), 20000U);
}

TEST_F(Browser, shows_a_light_page) {
  const testing::Image image =
      screenshot(render(sample_page(), Format::html), "--blink-settings=preferredColorScheme=1");
  EXPECT_EQ(image.width, 1400U);
  EXPECT_GT(image.distinct_colours(), 200U);
  EXPECT_EQ(image.pixels.at(0), kLightBackground);
  EXPECT_GT(image.count(kGemm), 20000U);  // bars of the timeline, tiles of the treemap
}

TEST_F(Browser, shows_a_dark_page) {
  const testing::Image image =
      screenshot(render(sample_page(), Format::html), "--blink-settings=preferredColorScheme=0");
  EXPECT_GT(image.distinct_colours(), 200U);
  EXPECT_EQ(image.pixels.at(0), kDarkBackground);
  EXPECT_GT(image.count(kGemm), 20000U);
}

}  // namespace
}  // namespace assay::trace
