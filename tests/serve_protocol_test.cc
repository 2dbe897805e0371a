// The Open Inference Protocol, and what is answered to requests that are wrong.

#include <gtest/gtest.h>

#include <cstring>

#include "serve/protocol/request_error.h"
#include "serve/protocol/table_text.h"
#include "serve/protocol/tensor_request.h"
#include "support/serving.h"

namespace splitgp::serve_protocol_test {
namespace {

using serve::parse_tensors;
using serve::ParseLimits;
using serve::RequestError;
using serve::TensorRequest;
using testing::HttpClient;
using testing::Json;
using testing::kInfer;
using testing::kLearn;
using testing::Serving;

constexpr const char* kHeaderLength = "Inference-Header-Content-Length: ";

int status_of(const std::string& body, std::optional<std::size_t> json_bytes = std::nullopt) {
  try {
    parse_tensors(body, json_bytes, {});
    return 200;
  } catch (const RequestError& error) {
    return error.status();
  }
}

std::string tensor(const std::string& rest) { return R"({"inputs":[{"name":"x",)" + rest + "}]}"; }

TEST(ServeProtocol, ReadsTensorsOfAllKinds) {
  const TensorRequest nested =
      parse_tensors(tensor(R"("datatype":"FP32","shape":[2,2],"data":[[1,2],[3,4.5]])"), {}, {});
  EXPECT_EQ(nested.inputs.at(0).numbers.values, (std::vector<double>{1, 2, 3, 4.5}));
  const TensorRequest flat =
      parse_tensors(tensor(R"("datatype":"INT64","shape":[3],"data":[1,-2,3])"), {}, {});
  EXPECT_EQ(flat.inputs.at(0).numbers.values, (std::vector<double>{1, -2, 3}));
  EXPECT_FALSE(flat.inputs.at(0).numbers.rows);
  const TensorRequest texts = parse_tensors(
      R"({"inputs":[{"name":"ids","datatype":"BYTES","shape":[2],"data":["a","b"]}]})", {}, {});
  EXPECT_EQ(texts.ids, (std::vector<std::string>{"a", "b"}));
}

TEST(ServeProtocol, ReadsBinaryTensors) {
  const double values[] = {1.5, -2.0, 3.25, 4.0};
  const std::string ids("\1\0\0\0a\2\0\0\0bc", 11);
  const std::string head =
      R"({"inputs":[{"name":"x","datatype":"FP64","shape":[2,2],"parameters":{"binary_data_size":32}},)"
      R"({"name":"ids","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":11}}],)"
      R"("parameters":{"binary_data_output":true}})";
  const std::string body =
      head + std::string(reinterpret_cast<const char*>(values), sizeof values) + ids;
  const TensorRequest request = parse_tensors(body, head.size(), {});
  EXPECT_EQ(request.inputs.at(0).numbers.values, std::vector<double>(values, values + 4));
  EXPECT_EQ(request.ids, (std::vector<std::string>{"a", "bc"}));
  EXPECT_TRUE(request.binary_outputs);
  // Cut off anywhere, it is an error and nothing else.
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_GE(status_of(body.substr(0, size), std::min(size, head.size())), 400) << size;
  }
}

TEST(ServeProtocol, RefusesWhatContradictsItself) {
  EXPECT_EQ(status_of(""), 400);
  EXPECT_EQ(status_of("[]"), 400);
  EXPECT_EQ(status_of("{"), 400);
  EXPECT_EQ(status_of(R"({"surprise":1})"), 400);
  EXPECT_EQ(status_of(R"({"x":[[1,2],[3]]})"), 422);
  EXPECT_EQ(status_of(R"({"x":[[1,"a"]]})"), 422);
  EXPECT_EQ(status_of(R"({"x":[1],"parameters":{"level":1.5}})"), 422);
  EXPECT_EQ(status_of(tensor(R"("datatype":"FP16","shape":[1],"data":[1])")), 422);
  EXPECT_EQ(status_of(tensor(R"("datatype":"FP64","shape":[2],"data":[1])")), 422);
  EXPECT_EQ(status_of(tensor(R"("datatype":"FP64","shape":[1],"data":[1,2])")), 422);
  EXPECT_EQ(status_of(tensor(R"("datatype":"FP64","shape":[-1],"data":[1])")), 400);
  EXPECT_EQ(status_of(tensor(R"("datatype":"FP64","shape":[99999999999,9],"data":[])")), 413);
  EXPECT_EQ(status_of(tensor(R"("datatype":"FP64","shape":[200000,1],"data":[])")), 413);
  EXPECT_EQ(status_of(std::string(100, '[') + std::string(100, ']')), 400);
  EXPECT_EQ(status_of("{}", 3), 400);
}

TEST(ServeProtocol, NamesFieldRowAndValue) {
  Serving serving;
  HttpClient client(serving.port());
  const auto answer = client.post(kLearn, R"({"x":[[1,2],[3,1e200]],"y":[1,2]})");
  EXPECT_EQ(answer.status, 422);
  const Json error = Json::parse(answer.body);
  EXPECT_EQ(error["field"], "x");
  EXPECT_EQ(error["row"], 1);
  EXPECT_EQ(error["value"], "1e+200");
  EXPECT_EQ(client.get("/v2/health/ready").status, 503);  // no model was made of it
}

TEST(ServeProtocol, InferEqualsPredict) {
  Serving serving;
  HttpClient client(serving.port());
  const testing::Stream stream = testing::smooth_stream(3, 2, 2, 200);
  ASSERT_EQ(client.post(kLearn, testing::learn_body(stream, 0, 60)).status, 200);
  SplittingGp model(2, 2, testing::PlainMaker::options(2));
  model.update_batch(stream.X.leftCols(60), stream.Y.leftCols(60));
  // More points than are predicted at once.
  const Eigen::MatrixXd points = stream.X;
  const PredictionGradient expected = model.predict_gradient(points);
  Json body{{"id", "q"},
            {"inputs",
             {{{"name", "x"},
               {"datatype", "FP64"},
               {"shape", {points.cols(), 2}},
               {"data", std::vector<double>(points.data(), points.data() + points.size())}},
              {{"name", "y"},
               {"datatype", "FP64"},
               {"shape", {points.cols(), 2}},
               {"data", std::vector<double>(stream.Y.data(), stream.Y.data() + stream.Y.size())}}}},
            {"parameters", {{"level", 0.8}}}};
  for (const char* const name : {"mean", "sd", "lower", "upper", "z", "mean_gradient"}) {
    body["outputs"].push_back({{"name", name}});
  }
  const Json answer = Json::parse(client.post(kInfer, body.dump()).body);
  EXPECT_EQ(answer["id"], "q");
  const auto data = [&](int output) {
    return answer["outputs"][static_cast<std::size_t>(output)]["data"].get<std::vector<double>>();
  };
  const Interval interval = expected.interval(0.8);
  const std::vector<double> mean = data(0), sd = data(1), lower = data(2), upper = data(3),
                            z = data(4), gradient = data(5);
  ASSERT_EQ(std::ssize(mean), points.cols() * 2);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double deviation =
        std::sqrt(expected.variance.data()[i] + expected.noise_variance.data()[i]);
    EXPECT_EQ(mean[i], expected.mean.data()[i]);
    EXPECT_NEAR(sd[i], deviation, 1e-14);
    EXPECT_EQ(lower[i], interval.lower.data()[i]);
    EXPECT_EQ(upper[i], interval.upper.data()[i]);
    EXPECT_NEAR(z[i], (stream.Y.data()[i] - mean[i]) / deviation, 1e-12);
  }
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    EXPECT_EQ(gradient[i], expected.mean_gradient.data()[i]);
  }
  EXPECT_EQ(answer["outputs"][5]["shape"], (Json{200, 2, 2}));
}

TEST(ServeProtocol, BinaryInAndOut) {
  Serving serving;
  HttpClient client(serving.port());
  ASSERT_EQ(client.post(kLearn, R"({"x":[[1,2],[2,1]],"y":[3,4]})").status, 200);
  const double point[] = {1.5, 1.5};
  const std::string head =
      R"({"inputs":[{"name":"x","datatype":"FP64","shape":[1,2],"parameters":{"binary_data_size":16}}],)"
      R"("outputs":[{"name":"mean","parameters":{"binary_data":true}},{"name":"sd"}]})";
  const auto answer =
      client.post(kInfer, head + std::string(reinterpret_cast<const char*>(point), sizeof point),
                  kHeaderLength + std::to_string(head.size()) + "\r\n");
  ASSERT_EQ(answer.status, 200);
  const std::size_t size = std::stoul(answer.headers.at("inference-header-content-length"));
  ASSERT_EQ(answer.body.size(), size + sizeof(double));
  double mean = 0.0;
  std::memcpy(&mean, answer.body.data() + size, sizeof mean);
  const Json json = Json::parse(client.post(kInfer, R"({"x":[1.5,1.5]})").body);
  EXPECT_EQ(mean, json["outputs"][0]["data"][0].get<double>());
  EXPECT_EQ(Json::parse(answer.body.substr(0, size))["outputs"][1]["data"],
            json["outputs"][1]["data"]);
}

TEST(ServeProtocol, InputsMayComeByName) {
  Serving serving;
  HttpClient client(serving.port());
  ASSERT_EQ(client.post(kLearn, R"({"x":[[1,2],[2,1]],"y":[3,4]})").status, 200);
  const auto input = [](const char* name, double value) {
    return Json{{"name", name}, {"datatype", "FP64"}, {"shape", {1}}, {"data", {value}}};
  };
  const Json body{{"inputs", {input("x2", 1.25), input("x1", 1.5)}}};
  EXPECT_EQ(Json::parse(client.post(kInfer, body.dump()).body)["outputs"],
            Json::parse(client.post(kInfer, R"({"x":[1.5,1.25]})").body)["outputs"]);
  const Json less{{"inputs", {input("x1", 1.5)}}};
  const auto answer = client.post(kInfer, less.dump());
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(Json::parse(answer.body)["field"], "x2");
}

TEST(ServeProtocol, AnswersTheStatusesThatClientsExpect) {
  Serving serving;
  HttpClient client(serving.port());
  EXPECT_EQ(client.get("/v2/health/live").status, 200);
  EXPECT_EQ(client.get("/v2/health/ready").status, 503);
  EXPECT_EQ(client.post(kInfer, R"({"x":[1]})").status, 503);
  ASSERT_EQ(client.post(kLearn, R"({"x":[[1,2]],"y":[3]})").status, 200);
  EXPECT_EQ(client.get("/v2/health/ready").status, 200);
  EXPECT_EQ(client.get("/v2/models/m/ready").status, 200);
  EXPECT_EQ(client.get("/v2/models/m/versions/1/ready").status, 200);
  EXPECT_EQ(Json::parse(client.get("/v2").body)["name"], "splitgp");
  const Json meta = Json::parse(client.get("/v2/models/m").body);
  EXPECT_EQ(meta["inputs"][0]["shape"], (Json{-1, 2}));
  const auto once = [&](const std::string& method, const std::string& path, const std::string& body,
                        const std::string& headers) {
    HttpClient fresh(serving.port());  // a refusal may close the connection
    return fresh.ask(method, path, body, headers);
  };
  const std::string json = "Content-Type: application/json\r\n";
  EXPECT_EQ(once("GET", "/nothing", "", "").status, 404);
  EXPECT_EQ(once("GET", "/v2/models/other", "", "").status, 404);
  EXPECT_EQ(once("GET", "/v2/models/m/versions/2", "", "").status, 404);
  EXPECT_EQ(once("GET", kInfer, "", "").status, 405);
  EXPECT_EQ(once("GET", kInfer, "", "").headers.at("allow"), "POST, OPTIONS");
  EXPECT_EQ(once("DELETE", "/v2", "", "").status, 405);
  EXPECT_EQ(
      once("POST", kInfer, "x=1", "Content-Type: application/x-www-form-urlencoded\r\n").status,
      415);
  EXPECT_EQ(once("POST", "/v2/models/m/rows", "{}", "").status, 415);
  EXPECT_EQ(once("POST", kInfer, "abc", json + "Content-Encoding: gzip\r\n").status, 415);
  EXPECT_EQ(once("POST", kInfer, "{", json).status, 400);
  EXPECT_EQ(once("POST", kInfer, R"({"x":[1,2,3]})", json).status, 422);
  EXPECT_EQ(once("POST", kInfer, R"({"x":[1,2],"outputs":[{"name":"median"}]})", json).status, 422);
  EXPECT_EQ(once("POST", kInfer, R"({"x":[1,2],"outputs":[{"name":"z"}]})", json).status, 422);
  EXPECT_EQ(once("HEAD", "/v2", "", "").body, "");
}

TEST(ServeProtocol, TablesInThreeFormats) {
  using serve::parse_table;
  using serve::TableFormat;
  const serve::TableLimits limits;
  const serve::TableText csv = parse_table("a,b\n1,x\n,y\n", TableFormat::csv, limits);
  const serve::TableText json =
      parse_table(R"({"rows":[{"a":1,"b":"x"},{"a":null,"b":"y"}]})", TableFormat::json, limits);
  const serve::TableText lines =
      parse_table("{\"a\":1,\"b\":\"x\"}\r\n\n{\"b\":\"y\"}", TableFormat::ndjson, limits);
  for (const serve::TableText* one : {&csv, &json, &lines}) {
    EXPECT_EQ(one->columns, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(one->rows, (std::vector<std::vector<std::string>>{{"1", "x"}, {"", "y"}}));
  }
  const auto status = [&](const std::string& text, TableFormat format) {
    serve::TableLimits few;
    few.rows = 3;
    try {
      parse_table(text, format, few);
      return 200;
    } catch (const RequestError& error) {
      return error.status();
    }
  };
  EXPECT_EQ(status("a\n1\n2\n3\n4\n", TableFormat::csv), 413);
  EXPECT_EQ(status("a,a\n1,2\n", TableFormat::csv), 422);
  EXPECT_EQ(status("a,b\n1\n", TableFormat::csv), 422);
  EXPECT_EQ(status("", TableFormat::csv), 422);
  EXPECT_EQ(status("[]", TableFormat::json), 422);
  EXPECT_EQ(status("[1]", TableFormat::json), 400);
  EXPECT_EQ(status(R"([{"a":[1]}])", TableFormat::json), 422);
  EXPECT_EQ(status("{}\nnot json\n", TableFormat::ndjson), 400);
}

}  // namespace
}  // namespace splitgp::serve_protocol_test
