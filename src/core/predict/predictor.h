#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <vector>

#include "core/local_gp/local_gp.h"
#include "core/predict/aggregate.h"
#include "core/predict/field.h"

namespace splitgp {

/// A question to one local GP; its answer goes to place `answer`.
struct Question {
  Eigen::Index local_gp;
  Eigen::Index query;
  Eigen::Index answer;
};

/// The most similar local GP that is not asked.
struct Outsider {
  Eigen::Index local_gp = 0;
  double log_similarity = -std::numeric_limits<double>::infinity();  // so if there is none
};

/// What one thread needs to predict. Query i, rank r: answer i·asked + r.
struct Predictor {
  Workspace workspace;
  /// A single query may be learned next, by those who are asked first: what each of them solves
  /// stays in a place of its own.
  std::array<Workspace, 1 + Borrowings::kMost> solved;
  std::vector<SolvedRow> solved_rows;
  Eigen::Index asked = 0;  // how many local GPs are asked about each query
  std::vector<Neighbor> neighbors;
  std::vector<Eigen::Index> local_gps;  // which one gave each answer, …
  std::vector<const Theta*> thetas;     // … and with which θ
  std::vector<Question> questions;
  std::vector<Outsider> outsiders;
  std::vector<Candidate> candidates;
  Eigen::MatrixXd means;         // outputs × answers
  Eigen::MatrixXd local_scales;  // the same; only with calibration
  std::vector<double> weights;

  /// One local GP's block
  Eigen::MatrixXd queries;
  Eigen::MatrixXd block_means;
  std::vector<LocalGp::Posterior> posteriors;
  Eigen::VectorXd block_scales;

  /// Only with gradients: what LocalGp::predict_gradient says of each answer.
  Eigen::MatrixXd gradients;
  Eigen::MatrixXd block_gradients;
  GradientWorkspace gradient_workspace;

  /// So that one query of this field allocates nothing.
  void prepare(const Field& field);

  /// Finds whom to ask about each column of X; lets them answer, with derivatives if they are
  /// wanted; finds each answer's weight for one query, and returns what aggregation_weights does.
  void ask(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X);
  /// Makes room for so many answers; ask() does.
  void reserve(const Field& field, Eigen::Index answers);
  void answer(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X,
              bool with_gradients = false);
  bool weigh(const Field& field, Eigen::Index query);

  /// The weighted average of a query's answers, into one column of the result. `ahead`: when it is
  /// for (splitgp/ahead.h).
  void combine(const Field& field, const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Index query,
               double ahead, Prediction& result, Eigen::Index column) const;

  /// How large a share of the prior's variance is left for a new observation, noise included, by
  /// the local GPs' own θ; what calibration asks of a query of an unknown time.
  double share_left(const Field& field, Eigen::Index query) const;

  /// What the answers to a single query have solved, most similar local GP first, into solved_rows.
  /// REQUIRES: the caller has exclusive access, and they are awake.
  void keep_solved_rows(const Field& field);

 private:
  Workspace& workspace_for(Eigen::Index queries, Eigen::Index answer);
  void combine_calibrated(const Field& field, const Eigen::Ref<const Eigen::VectorXd>& x,
                          Eigen::Index query, double ahead, Prediction& result,
                          Eigen::Index column) const;
};

/// This thread's.
Predictor& thread_predictor();

/// Variances are kept below this: infinite ones could not be added up.
inline constexpr double kLargestVariance = 0.25 * std::numeric_limits<double>::max();

}  // namespace splitgp
