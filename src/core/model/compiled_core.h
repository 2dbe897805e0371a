#pragma once

#include <cstdint>
#include <span>

#include "core/model/model_state.h"
#include "core/model/remote.h"
#include "core/model/route.h"

namespace splitgp {

/// The entry points of the core's arithmetic. The core is compiled once per instruction set, and
/// this is one of the results; a model's memory layout is the same for all of them.
struct CompiledCore {
  const char* instruction_set;
  void (*update)(ModelState&, const Observation&, UpdateResult&);
  void (*predict_then_update)(ModelState&, const Observation&, Prediction&, UpdateResult&);
  void (*predict)(const Field&, const Eigen::Ref<const Eigen::MatrixXd>&, const Ahead&,
                  Prediction&);
  void (*predict_gradient)(const Field&, const Eigen::Ref<const Eigen::MatrixXd>&, const Ahead&,
                           PredictionGradient&);
  std::vector<LocalPrediction> (*explain)(const Field&, const Eigen::Ref<const Eigen::VectorXd>&);
  ForgetResult (*forget)(ModelState&, std::span<const std::uint64_t>);
  TrainResult (*train_now)(ModelState&);
  void (*finish_training)(ModelState&);
  Eigen::Index (*renew)(Partition&, const ThetaPointer&, std::span<const Neighbor>,
                        std::uint64_t most);
  void (*wake)(Partition&, Eigen::Index local_gp);
  void (*bound_latency)(ModelState&);

  /// For a model in several processes: the router's part, …
  void (*route)(ModelState&, const Observation&, std::uint64_t ahead, bool predict, Routed&);
  void (*account)(ModelState&, const Observation&, Routed&, const Found&, Prediction*);
  bool (*train_if_due)(ModelState&);
  std::vector<Eigen::Index> (*drawn_whole)(const ModelState&, const std::vector<Eigen::Index>&);
  void (*ask)(const Field&, const Eigen::Ref<const Eigen::MatrixXd>&, Predictor&);
  void (*combine)(const Field&, const Eigen::Ref<const Eigen::MatrixXd>&, const Ahead&, Predictor&,
                  Prediction&);
  /// … and that of the processes which hold local GPs.
  void (*learn)(ModelState&, Eigen::Index local_gp, const Observation&, Learned&);
  LocalGp (*divide)(ModelState&, Eigen::Index local_gp, const std::vector<bool>&);
  bool (*borrow)(ModelState&, Eigen::Index local_gp, const Observation&,
                 std::optional<std::uint64_t>&);
  void (*refit)(ModelState&, Eigen::Index local_gp, const ThetaPointer&);
  void (*answer)(const Field&, const Eigen::Ref<const Eigen::MatrixXd>&, Predictor&);
};

/// The best one for this processor, or the one that the environment variable
/// SPLITGP_INSTRUCTION_SET names. Chosen once.
const CompiledCore& core();

}  // namespace splitgp
