#include "cli/alarm_json.h"

#include <nlohmann/json.hpp>

namespace splitgp {

nlohmann::ordered_json alarm_json(const Alarm& alarm, const ObservationColumns& columns) {
  return {{"sequence", alarm.sequence},
          {"change_point", alarm.change_point},
          {"output", columns.outputs[static_cast<std::size_t>(alarm.output)]},
          {"kind", to_string(alarm.kind)},
          {"size", alarm.size},
          {"size_in_noise", alarm.size_in_noise},
          {"rows", alarm.rows},
          {"whole_stream", alarm.whole_stream},
          {"local_gp", alarm.local_gp},
          {"local_gps", alarm.local_gps},
          {"forgotten", alarm.forgotten}};
}

}  // namespace splitgp
