// Every allocation of an update, a training and a checkpoint fails in turn: the model is as it was,
// or it is given up and its file is as of the last checkpoint.
#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <string>

#include "splitgp/model_file.h"
#include "splitgp/splitgp_c.h"
#include "support/own_malloc.h"
#include "support/same_model.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp::out_of_memory_test {

using Eigen::Index;
using testing::NoMemory;

class OutOfMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::kOwnMalloc) GTEST_SKIP() << "the address sanitizer has its own malloc";
    // glibc ends the program if there is no memory when a thread first uses its own objects.
    Options forgetful = small();
    forgetful.max_observations = 40;
    after(90, forgetful).predict_gradient(stream_.X);
  }

  static Options small() {
    Options options;
    options.split_limit = 6;
    options.capacity = 24;
    options.training_observations = 60;
    options.kernel = KernelFamily::rbf;  // a search among families would only take time
    return options;
  }
  SplittingGp after(Index rows, const Options& options) const {
    SplittingGp model(2, 1, options);
    for (Index i = 0; i < rows; ++i) model.update(stream_.X.col(i), stream_.Y.col(i));
    return model;
  }

  testing::Stream stream_ = testing::smooth_stream(1, 2, 1, 200);
};

// Which rows split, train or forget is of no interest: all of them are tried.
TEST_F(OutOfMemory, AnUpdateLearnsARowOrGivesTheModelUp) {
  long failures = 0, survived = 0, failed_trainings = 0;
  for (const int kind : {0, 1, 2, 3}) {
    const bool once = kind % 2 == 1;  // a large allocation may fail, and smaller ones succeed
    const bool forgets = kind > 1;
    Options options = small();
    if (forgets) options.max_observations = 40;
    SplittingGp model(2, 1, options);
    for (Index i = 0; i < 90; ++i) {
      const auto x = stream_.X.col(i), y = stream_.Y.col(i);
      bool enough = false;
      for (long allocation = 0; !enough; allocation += 1 + allocation / 8) {
        SplittingGp tried = model;
        bool thrown = false;
        {
          const NoMemory none(allocation, once ? 1 : NoMemory::kAll);
          try {
            tried.update(x, y);
          } catch (const std::bad_alloc&) {
            thrown = true;
          }
          enough = !NoMemory::ran_out();
        }
        failures += enough ? 0 : 1;
        if (thrown) {
          ASSERT_THROW(tried.predict(x), UnusableModel);
          ASSERT_THROW(tried.update(x, y), UnusableModel);
          ASSERT_THROW(SplittingGp{tried}, UnusableModel);
          continue;
        }
        ASSERT_EQ(tried.n_seen(), static_cast<std::uint64_t>(i + 1));
        const auto& history = tried.training_history();
        if (!enough) ++survived;
        if (history.size() > model.training_history().size() && history.back().failed) {
          ++failed_trainings;
          ASSERT_EQ(tried.theta_version(), model.theta_version());
        }
        if (!enough) tried.update(x, y);  // it can still be used
      }
      model.update(x, y);
    }
  }
  EXPECT_GT(failures, 2000);
  EXPECT_GT(survived, 100);
  EXPECT_GT(failed_trainings, 50);
  RecordProperty("failures", std::to_string(failures));
}

TEST_F(OutOfMemory, AFileIsNeverCommittedHalfChanged) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path path = directory / "model.splitgp";
  const SplittingGp saved = after(60, small());
  long failures = 0, given_up = 0;
  bool enough = false;
  for (long allocation = 0; !enough; allocation += 1 + allocation / 20) {
    std::filesystem::remove(path);
    ModelFile file = ModelFile::create(path, saved);
    file.checkpoint({{"rows", 60}});
    Index learned = 60;
    bool thrown = false;
    {
      const NoMemory none(allocation);
      try {
        for (; learned < 75; ++learned)
          file.model().update(stream_.X.col(learned), stream_.Y.col(learned));
        file.checkpoint({{"rows", 75}});
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      enough = !NoMemory::ran_out();
    }
    if (enough) break;
    ++failures;
    bool committed = !thrown;
    try {
      file.checkpoint({{"rows", static_cast<std::uint64_t>(learned)}});
      committed = true;
    } catch (const UnusableModel&) {
      ++given_up;
    }
    const LoadedModel loaded = load(path);
    if (committed) {
      ASSERT_EQ(loaded.model.n_seen(), loaded.positions.at("rows"));
    } else {
      // A commit that could not be reported may be there, whole.
      ASSERT_TRUE(loaded.positions.at("rows") == 60 || loaded.positions.at("rows") == 75);
      ASSERT_EQ(loaded.model.n_seen(), loaded.positions.at("rows"));
    }
    if (loaded.model.n_seen() == 60) testing::expect_same_model(saved, loaded.model);
    loaded.model.predict(stream_.X.col(0));
  }
  EXPECT_GT(failures, 100);
  EXPECT_GT(given_up, 20);
}

TEST_F(OutOfMemory, AFailedTrainingIsCountedAndThetaStays) {
  const SplittingGp trained = after(80, small());
  long failed = 0;
  for (long allocation = 40;; allocation += 1 + allocation / 10) {
    SplittingGp model = trained;
    TrainResult result;
    bool thrown = false, enough = false;
    {
      const NoMemory none(allocation, 1);
      try {
        result = model.train();
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      enough = !NoMemory::ran_out();
    }
    if (enough) break;
    if (thrown) {
      ASSERT_EQ(model.theta_version(), trained.theta_version());
    }
    if (!result.failed) continue;
    ++failed;
    ASSERT_FALSE(result.adopted);
    ASSERT_EQ(model.theta_version(), trained.theta_version());
    ASSERT_TRUE(model.training_history().back().failed);
    model.update(stream_.X.col(80), stream_.Y.col(80));
  }
  EXPECT_GT(failed, 10);
}

TEST_F(OutOfMemory, APredictionThatFailsChangesNothing) {
  const testing::TemporaryDirectory directory;
  const std::filesystem::path path = directory / "model.splitgp";
  ModelFile::create(path, after(60, small()));
  for (long allocation = 0;; ++allocation) {
    const LoadedModel dormant = load(path);
    bool enough = false;
    {
      const NoMemory none(allocation);
      try {
        dormant.model.predict(stream_.X);
        dormant.model.predict_gradient(stream_.X);
        enough = true;
      } catch (const std::bad_alloc&) {
      }
    }
    const LoadedModel other = load(path);
    ASSERT_EQ(dormant.model.predict(stream_.X).mean.col(3),
              other.model.predict(stream_.X).mean.col(3));
    ASSERT_EQ(dormant.model.predict_gradient(stream_.X).mean_gradient.col(3),
              other.model.predict_gradient(stream_.X).mean_gradient.col(3));
    if (enough) break;
  }
}

#ifdef SPLITGP_HAS_C
// A status for every call, and a model that a call has left half changed is never asked or saved.
TEST_F(OutOfMemory, TheCInterfaceRefusesAHalfChangedModel) {
  const testing::TemporaryDirectory directory;
  const std::string path = (directory / "model.splitgp").string();
  long refused = 0;
  for (long allocation = 0;; allocation += 1 + allocation / 8) {
    splitgp_model* model = nullptr;
    ASSERT_EQ(splitgp_create(2, 1, nullptr, &model), SPLITGP_OK);
    ASSERT_EQ(splitgp_update(model, 60, stream_.X.data(), stream_.Y.data(), nullptr), SPLITGP_OK);
    double before = 0.0, after = 0.0;
    ASSERT_EQ(splitgp_predict(model, 1, stream_.X.data(), &before, nullptr, nullptr), SPLITGP_OK);
    splitgp_status status;
    bool enough = false;
    {
      const NoMemory none(allocation);
      status =
          splitgp_update(model, 40, stream_.X.col(60).data(), stream_.Y.col(60).data(), nullptr);
      enough = !NoMemory::ran_out();
    }
    const splitgp_status next =
        splitgp_predict(model, 1, stream_.X.data(), &after, nullptr, nullptr);
    if (status == SPLITGP_OK) {
      EXPECT_EQ(next, SPLITGP_OK);
      EXPECT_EQ(splitgp_n_observations(model), 100u);
    } else {
      EXPECT_EQ(status, SPLITGP_OUT_OF_MEMORY);
      if (next == SPLITGP_OK) {
        EXPECT_EQ(after, before);
        EXPECT_EQ(splitgp_n_observations(model), 60u);
      } else {
        ++refused;
        EXPECT_EQ(next, SPLITGP_UNUSABLE);
        EXPECT_EQ(splitgp_train(model, nullptr), SPLITGP_UNUSABLE);
        EXPECT_EQ(splitgp_set_threads(model, 1), SPLITGP_UNUSABLE);
        EXPECT_EQ(splitgp_save(model, path.c_str()), SPLITGP_UNUSABLE);
        EXPECT_FALSE(std::filesystem::exists(path));
      }
    }
    splitgp_destroy(model);
    if (enough) break;
  }
  EXPECT_GT(refused, 5);
}
#endif

}  // namespace splitgp::out_of_memory_test
