#include "serve/running.h"

#include <utility>

#include "serve/snapshot.h"

namespace splitgp::serve {

Running::Running(RunningSettings settings, std::unique_ptr<ServedModel> model, ModelMaker& maker,
                 std::vector<Observer*> observers, const MakePage& make_page)
    : settings_(std::move(settings)), log_(settings_.log, settings_.log_to) {
  remove_old_snapshots(settings_.service.model_path);
  // The page reads the model through the learner, which is made after it because it tells it.
  if (make_page) {
    page_ = make_page([this](const std::function<void(const ModelView&)>& use) {
      return learner_ != nullptr && learner_->read(use);
    });
    if (auto* const observer = dynamic_cast<Observer*>(page_.get())) observers.push_back(observer);
  }
  learner_ =
      std::make_unique<Learner>(settings_.learner, std::move(model), maker, std::move(observers));
  service_ = std::make_unique<Service>(settings_.service, *learner_, metrics_, log_, page_.get());
  server_ = std::make_unique<http::Server>(settings_.server, *service_);
  service_->set_server(server_.get());
}

Running::~Running() { stop(std::chrono::milliseconds(0)); }

void Running::start() {
  learner_->start();
  server_->start();
}

void Running::tick() {
  log_.flush();
  if (!page_) return;
  for (const std::string& alarm : page_->take_alarms()) {
    server_->publish("event: alarm\ndata: " + alarm + "\n\n");
  }
  if (server_->counts().viewers == 0) return;
  server_->publish("event: tick\ndata: " + page_->tick_json() + "\n\n");
}

bool Running::is_alive() const { return learner_->is_alive(std::chrono::seconds(60)); }

// Connections first: what they have received is still learned and answered.
void Running::stop(std::chrono::milliseconds patience) {
  if (stopped_) return;
  stopped_ = true;
  server_->stop(patience);
  service_->set_server(nullptr);
  learner_->stop();
  service_->join();
  log_.flush();
}

}  // namespace splitgp::serve
