#include <utility>

#include "rivals/compiled_rivals.h"
#include "rivals/rivals.h"
#include "rivals/training_draw.h"

namespace splitgp::rivals {

namespace {

class FullMethod : public Method {
 public:
  explicit FullMethod(const RivalState& model)
      : gp_(model.inputs(), model.outputs(), model.knowledge.theta) {}

  void learn(const Batch& batch) override { gp_.append(batch); }
  void refit(const ThetaPointer& theta) override { gp_.refit(theta); }

  void predict(const Eigen::Ref<const Eigen::MatrixXd>& X, Prediction& result) const override {
    ExactGp::Posterior posterior = gp_.predict(X);
    result.mean = std::move(posterior.mean);
    // The prior's variances are already there: σ_0² times the squared scale of each output.
    result.variance.array().rowwise() *=
        posterior.variance.transpose().array() / gp_.theta().signal_variance;
  }

  TrainingSet training_set(const RivalState& model) const override {
    return draw_from_shares(model, {&gp_});
  }

  Eigen::Index n_local() const override { return gp_.size() > 0 ? 1 : 0; }
  std::size_t memory_bytes() const override {
    return sizeof(*this) - sizeof(gp_) + gp_.memory_bytes();
  }

 private:
  ExactGp gp_;
};

}  // namespace

std::unique_ptr<Method> make_full_gp(const RivalState& model, const FullGp::Options&) {
  return std::make_unique<FullMethod>(model);
}

}  // namespace splitgp::rivals
