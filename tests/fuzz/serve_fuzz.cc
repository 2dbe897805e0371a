// Any bytes as an HTTP request, as tensors and as a table. Besides not crashing: the parser of
// requests says the same however the bytes are cut, an error has a status of a client's mistake,
// and tensors hold no more numbers than there are bytes.
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "serve/http/parser.h"
#include "serve/protocol/forget_request.h"
#include "serve/protocol/request_error.h"
#include "serve/protocol/table_text.h"
#include "serve/protocol/tensor_request.h"

namespace splitgp::testing {
namespace {

using serve::http::RequestParser;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Read {
  RequestParser::State state = RequestParser::State::more;
  int status = 0;
  std::string target, body;
  bool operator==(const Read&) const = default;
};

Read read_request(std::string_view bytes, std::size_t at_once) {
  RequestParser parser({512, 4096});
  Read result;
  std::string waiting;
  while (true) {
    std::size_t used = 0;
    result.state = parser.feed(waiting, used);
    require(used <= waiting.size());
    waiting.erase(0, used);
    if (result.state == RequestParser::State::complete) {
      serve::http::Request request = parser.take();
      result.target = request.target;
      result.body = request.body;
      request.parameter("a");
      return result;
    }
    if (result.state == RequestParser::State::failed) {
      result.status = parser.error_status();
      require(result.status >= 400 && result.status < 600 && !parser.error().empty());
      return result;
    }
    if (result.state == RequestParser::State::head) continue;
    if (bytes.empty()) return result;
    waiting += bytes.substr(0, at_once);
    bytes.remove_prefix(std::min(at_once, bytes.size()));
  }
}

template <typename Parse>
void expect_client_error(const Parse& parse) {
  try {
    parse();
  } catch (const serve::RequestError& error) {
    require(error.status() >= 400 && error.status() < 500);
    require(error.to_json().starts_with("{\"error\":\""));
  }
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> seeds{
      "POST /v2/models/m/infer?a=%20b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n{}\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      R"({"id":"a","inputs":[{"name":"x","datatype":"FP64","shape":[2,2],"data":[[1,2],[3,4]]},)"
      R"({"name":"ids","datatype":"BYTES","shape":[1],"data":["u"]}],"outputs":[{"name":"mean",)"
      R"("parameters":{"binary_data":true}}],"parameters":{"level":0.9,"wait":true}})",
      R"({"x":[[1,2],[3,4.5e3]],"y":[1,2],"ids":["a",7],"noise_variance":[0.1,0],"time":[1,2]})",
      "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"INT16\",\"shape\":[2],\"parameters\":"
      "{\"binary_data_size\":4}}]}\1\2\3\4",
      R"({"sequences":[1,2,3]})",
      R"({"rows":[{"a":1,"b":"x","c":null},{"a":true,"b":"\u00e9"}]})",
      "a,b,c\n1,\"x\"\"y\",3\n4,,6\n",
  };
  // What libFuzzer has found in ten minutes, one input a line in hexadecimal digits.
  std::ifstream corpus(SPLITGP_SOURCE_DIR "/tests/fuzz/serve_corpus.txt");
  require(corpus.good());
  for (std::string line; std::getline(corpus, line);) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
    }
    seeds.push_back(bytes);
  }
  return seeds;
}

}  // namespace splitgp::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace splitgp::testing;
  namespace serve = splitgp::serve;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Read whole = read_request(text, text.size() + 1);
  const Read pieces = read_request(text, 1 + size % 7);
  // A request that is both too long and wrong may be refused for either.
  if (whole.state == RequestParser::State::complete) require(whole == pieces);

  const serve::ParseLimits limits{8, 1000, 16};
  expect_client_error([&] { serve::parse_tensors(text, std::nullopt, limits); });
  const std::size_t brace = text.rfind('}');
  if (brace != std::string::npos) {
    expect_client_error([&] {
      const serve::TensorRequest request = serve::parse_tensors(text, brace + 1, limits);
      for (const serve::Tensor& tensor : request.inputs) {
        require(tensor.numbers.values.size() <= size && tensor.texts.size() <= size);
        expect_client_error([&] { serve::to_columns(tensor.numbers, 2, "x"); });
      }
    });
  }
  expect_client_error([&] { serve::parse_forget(text); });
  for (const serve::TableFormat format :
       {serve::TableFormat::json, serve::TableFormat::ndjson, serve::TableFormat::csv}) {
    expect_client_error([&] {
      const serve::TableText table = serve::parse_table(text, format, {100, 1000, 20});
      for (const auto& row : table.rows) require(row.size() == table.columns.size());
    });
  }
  return 0;
}
