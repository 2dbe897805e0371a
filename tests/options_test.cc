#include "splitgp/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <limits>
#include <string>

#include "core/options/validate.h"
#include "splitgp/error.h"

namespace splitgp::options_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The message of the InvalidArgument that `call` throws; empty if it throws none.
template <typename Call>
std::string rejection(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

template <typename Enum>
void expect_round_trip(std::initializer_list<std::pair<Enum, const char*>> names) {
  for (const auto& [value, name] : names) {
    EXPECT_EQ(to_string(value), name);
    EXPECT_EQ(parse<Enum>("field", name), value);
  }
  // An unknown name gets a message that lists all valid ones.
  const std::string message = rejection([] { parse<Enum>("some_field", "bogus"); });
  EXPECT_THAT(message, HasSubstr("some_field"));
  EXPECT_THAT(message, HasSubstr("bogus"));
  for (const auto& [value, name] : names) EXPECT_THAT(message, HasSubstr(name));
}

TEST(Options, NamesRoundTrip) {
  expect_round_trip<KernelFamily>({{KernelFamily::automatic, "auto"},
                                   {KernelFamily::rbf, "rbf"},
                                   {KernelFamily::matern12, "matern12"},
                                   {KernelFamily::matern32, "matern32"},
                                   {KernelFamily::matern52, "matern52"},
                                   {KernelFamily::rational_quadratic, "rational_quadratic"}});
  expect_round_trip<Aggregation>({{Aggregation::evidence, "evidence"},
                                  {Aggregation::similarity, "similarity"},
                                  {Aggregation::nearest, "nearest"}});
  expect_round_trip<PrincipalDirection>(
      {{PrincipalDirection::exact, "exact"}, {PrincipalDirection::oja, "oja"}});
  expect_round_trip<SplitSpace>({{SplitSpace::scaled, "scaled"}, {SplitSpace::raw, "raw"}});
  expect_round_trip<Training>({{Training::off, "off"},
                               {Training::inlined, "inline"},
                               {Training::background, "background"}});
}

TEST(Options, ParseTakesNamesExactly) {
  for (const char* text : {"", "RBF", "rbf ", " rbf", "rb", "rbff"}) {
    EXPECT_THROW(parse<KernelFamily>("kernel", text), InvalidArgument) << text;
  }
}

TEST(Options, DefaultsAreThoseOfTheDesign) {
  const Options options;
  EXPECT_EQ(options.kernel, KernelFamily::automatic);
  EXPECT_EQ(options.comparison.aggregation, Aggregation::evidence);
  EXPECT_TRUE(options.comparison.taper);
  EXPECT_TRUE(options.comparison.inherit);
  EXPECT_EQ(options.training, Training::inlined);
  EXPECT_EQ(options.seed, 0u);
  const Options completed = complete(options);
  EXPECT_EQ(completed.capacity, 250);
  EXPECT_EQ(completed.split_limit, 62);
  EXPECT_EQ(completed.neighbors, 3);
}

TEST(Options, OneNumberIsEnough) {
  const auto completed = [](auto change) {
    Options options;
    change(options);
    options = complete(options);
    return std::array{options.capacity, options.split_limit, options.neighbors};
  };
  using Three = std::array<int, 3>;
  EXPECT_EQ(completed([](Options& o) { o.capacity = 500; }), (Three{500, 125, 3}));
  EXPECT_EQ(completed([](Options& o) { o.capacity = 3; }), (Three{3, 1, 3}));
  EXPECT_EQ(completed([](Options& o) { o.capacity = 1; }), (Three{1, 1, 8}));
  EXPECT_EQ(completed([](Options& o) { o.split_limit = 10; }), (Three{40, 10, 3}));
  EXPECT_EQ(completed([](Options& o) { o.split_limit = 100; }), (Three{250, 100, 3}));
  EXPECT_EQ(completed([](Options& o) { o.split_limit = 250; }), (Three{250, 250, 8}));
  EXPECT_EQ(completed([](Options& o) { o.split_limit = 700; }), (Three{700, 700, 8}));
  EXPECT_EQ(completed([](Options& o) { o.split_limit = std::numeric_limits<int>::max(); })[0],
            std::numeric_limits<int>::max());
  EXPECT_EQ(completed([](Options& o) { o.comparison.inherit = false; }), (Three{250, 250, 8}));
  EXPECT_EQ(completed([](Options& o) { o = Options::paper(); }), (Three{250, 250, 0}));
  // What is complete stays as it is.
  const Options once = complete(Options{});
  EXPECT_EQ(complete(once).capacity, once.capacity);
}

TEST(Options, CapacityAndSplitLimitMustAgree) {
  const auto message = [](int capacity, int split_limit, bool inherit) {
    Options options;
    options.capacity = capacity;
    options.split_limit = split_limit;
    options.comparison.inherit = inherit;
    return rejection([&] { complete(options); });
  };
  EXPECT_EQ(message(20, 21, true), "capacity is 20; it must be at least split_limit, which is 21");
  EXPECT_EQ(message(21, 20, false),
            "capacity is 21; without inherit it must be split_limit, which is 20");
  EXPECT_EQ(message(20, 20, true), "");
  EXPECT_EQ(message(20, 20, false), "");
  EXPECT_EQ(message(20, kAutomatic, false), "");
}

TEST(Options, PaperIsThePseudoCode) {
  const Options options = Options::paper();
  EXPECT_EQ(options.kernel, KernelFamily::rbf);
  EXPECT_EQ(options.comparison.aggregation, Aggregation::similarity);
  EXPECT_EQ(options.neighbors, 0);  // all local GPs
  EXPECT_FALSE(options.comparison.taper);
  EXPECT_FALSE(options.comparison.inherit);
  EXPECT_EQ(options.comparison.principal_direction, PrincipalDirection::exact);
  EXPECT_EQ(options.comparison.split_space, SplitSpace::raw);
  EXPECT_EQ(options.split_limit, Options().split_limit);
  EXPECT_NO_THROW(check_options(options));
}

TEST(Options, BadOnesAreNamedWithTheirValue) {
  const auto message = [](auto change) {
    Options options;
    change(options);
    return rejection([&] { check_options(options); });
  };
  EXPECT_THAT(message([](Options& o) { o.split_limit = 0; }), HasSubstr("split_limit is 0"));
  EXPECT_THAT(message([](Options& o) { o.split_limit = -7; }), HasSubstr("split_limit is -7"));
  EXPECT_THAT(message([](Options& o) { o.neighbors = -1; }), HasSubstr("neighbors is -1"));
  EXPECT_THAT(message([](Options& o) { o.capacity = 0; }), HasSubstr("capacity is 0"));
  EXPECT_THAT(message([](Options& o) { o.threads = kAutomatic; }), HasSubstr("threads is -2"));
  EXPECT_THAT(message([](Options& o) { o.threads = 0; }), HasSubstr("threads is 0"));
  EXPECT_THAT(message([](Options& o) { o.training_observations = 1; }),
              HasSubstr("training_observations is 1"));
  EXPECT_EQ(message([](Options& o) { o.split_limit = o.neighbors = o.threads = 1; }), "");
  EXPECT_EQ(message([](Options& o) { o.split_limit = std::numeric_limits<int>::max(); }), "");
}

TEST(Validate, BadValuesAreNamedWithTheirPlace) {
  MatrixXd columns = MatrixXd::Ones(3, 5);
  EXPECT_NO_THROW(check_values("x", columns, 3));
  EXPECT_NO_THROW(check_values("x", MatrixXd(3, 0), 3));
  EXPECT_THAT(rejection([&] { check_values("x", columns, 4); }),
              ::testing::AllOf(HasSubstr("x has 3"), HasSubstr("needs 4")));

  const auto message = [&](double value) {
    columns(1, 4) = value;
    return rejection([&] { check_values("y", columns, 3); });
  };
  for (const double bad : {kNan, kInfinity, -kInfinity, 1.1e150, -1.1e150}) {
    EXPECT_THAT(message(bad), HasSubstr("y[1] of row 4 is ")) << bad;
  }
  EXPECT_THAT(message(kNan), HasSubstr("nan"));
  EXPECT_THAT(message(-kInfinity), HasSubstr("-inf"));
  EXPECT_THAT(message(1.25e200), HasSubstr("1.25e+200"));
  for (const double good : {0.0, -1e150, 1e150, 5e-324}) EXPECT_EQ(message(good), "") << good;
}

TEST(Validate, BadNoiseIsNamedWithItsPlace) {
  VectorXd noise = VectorXd::Constant(4, 0.5);
  EXPECT_NO_THROW(check_noise(noise, 4));
  EXPECT_NO_THROW(check_noise(VectorXd(), 4));  // none is known
  EXPECT_THAT(rejection([&] { check_noise(noise, 3); }),
              ::testing::AllOf(HasSubstr("noise_variance has 4"), HasSubstr("needs 3")));
  for (const double bad : {-1e-300, -1.0, kNan, kInfinity, 1e151}) {
    noise(2) = bad;
    EXPECT_THAT(rejection([&] { check_noise(noise, 4); }), HasSubstr("noise_variance of row 2 is "))
        << bad;
  }
  noise(2) = 0.0;
  EXPECT_NO_THROW(check_noise(noise, 4));
}

TEST(Validate, CompleteFillsInWhatIsEmpty) {
  Hyperparameters theta;
  theta.kernel = KernelFamily::automatic;
  const Hyperparameters completed = complete(theta, 3, 2);
  EXPECT_EQ(completed.kernel, KernelFamily::rbf);
  EXPECT_EQ(completed.length_scale, VectorXd::Ones(3));
  EXPECT_EQ(completed.mean, VectorXd::Zero(2));
  EXPECT_EQ(completed.output_scale, VectorXd::Ones(2));
  EXPECT_EQ(completed.signal_variance, theta.signal_variance);

  theta.kernel = KernelFamily::matern12;
  theta.length_scale = VectorXd::Constant(3, 0.25);
  theta.mean = VectorXd::Constant(2, -4.0);
  theta.output_scale = VectorXd::Constant(2, 3.0);
  const Hyperparameters kept = complete(theta, 3, 2);
  EXPECT_EQ(kept.kernel, KernelFamily::matern12);
  EXPECT_EQ(kept.length_scale, theta.length_scale);
  EXPECT_EQ(kept.mean, theta.mean);
  EXPECT_EQ(kept.output_scale, theta.output_scale);
}

TEST(Validate, BadHyperparametersAreNamedWithTheirValue) {
  const auto message = [](auto change) {
    Hyperparameters theta;
    change(theta);
    return rejection([&] { complete(theta, 3, 2); });
  };
  using H = Hyperparameters;
  EXPECT_EQ(message([](H&) {}), "");
  EXPECT_THAT(message([](H& t) { t.length_scale = VectorXd::Ones(2); }),
              HasSubstr("length_scale has 2 values; the model needs 3"));
  EXPECT_THAT(message([](H& t) { t.mean = VectorXd::Ones(3); }), HasSubstr("mean has 3"));
  EXPECT_THAT(message([](H& t) { t.output_scale = VectorXd::Ones(1); }),
              HasSubstr("output_scale has 1"));
  for (const double bad : {0.0, -1.0, kNan, kInfinity}) {
    EXPECT_THAT(message([&](H& t) { t.length_scale = Eigen::Vector3d(1.0, 1.0, bad); }),
                HasSubstr("length_scale[2] is "));
    EXPECT_THAT(message([&](H& t) { t.output_scale = Eigen::Vector2d(1.0, bad); }),
                HasSubstr("output_scale[1] is "));
    EXPECT_THAT(message([&](H& t) { t.signal_variance = bad; }), HasSubstr("signal_variance is "));
    EXPECT_THAT(message([&](H& t) { t.shape = bad; }), HasSubstr("shape is "));
  }
  EXPECT_THAT(message([](H& t) { t.signal_variance = -0.25; }), HasSubstr("-0.25"));
  EXPECT_THAT(message([](H& t) { t.mean = Eigen::Vector2d(0.0, kNan); }),
              HasSubstr("mean[1] is nan"));
  EXPECT_THAT(message([](H& t) { t.noise_variance = -1e-9; }), HasSubstr("noise_variance is -"));
  EXPECT_THAT(message([](H& t) { t.noise_variance = kNan; }), HasSubstr("noise_variance is nan"));
  EXPECT_EQ(message([](H& t) { t.noise_variance = 0.0; }), "");
}

}  // namespace
}  // namespace splitgp::options_test
