#include "server/http/head_writer.h"

#include <gtest/gtest.h>

namespace overbite::http {
namespace {

void add(ResponseHead& head, std::string_view name, std::string_view value) {
  head.add(classify_field(name), name, value);
}

std::string written(const ResponseHead& head, const Framing& framing) {
  ReasonTable reasons;
  reasons.set(200, "OK");
  reasons.set(418, "I'm a Teapot");
  std::string out = "before;";
  write_head(head, framing, reasons, default_fields("<D>"), out);
  return out;
}

TEST(HeadWriter, OrderIsStatusDateServerFieldsConnectionEncoding) {
  ResponseHead head;
  add(head, "Content-Type", "text/plain");
  add(head, "date", "x");
  Framing framing;
  framing.add_close_field = true;
  framing.add_chunked_field = true;
  EXPECT_EQ(written(head, framing),
            "before;HTTP/1.1 200 OK\r\ndate: <D>\r\nserver: uvicorn\r\ncontent-type: text/plain\r\n"
            "date: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n");
}

TEST(HeadWriter, UnknownStatusKeepsTheSpace) {
  ResponseHead head;
  head.status = 299;
  EXPECT_EQ(written(head, Framing{}),
            "before;HTTP/1.1 299 \r\ndate: <D>\r\nserver: uvicorn\r\n\r\n");
}

TEST(HeadWriter, OwnReasonReplacesTheTables) {
  ResponseHead head;
  head.status = 418;
  head.reason = "Short And Stout";
  EXPECT_EQ(written(head, Framing{}).substr(0, 38), "before;HTTP/1.1 418 I'm a Teapot\r\ndate");
  head.own_reason = true;
  EXPECT_EQ(written(head, Framing{}).substr(0, 37), "before;HTTP/1.1 418 Short And Stout\r\n");
  head.reason.clear();
  EXPECT_EQ(written(head, Framing{}).substr(0, 22), "before;HTTP/1.1 418 \r\n");
}

TEST(HeadWriter, NamesAreLowerCaseOnTheWire) {
  ResponseHead head;
  add(head, "X-Custom-Field", "Value");
  EXPECT_NE(written(head, Framing{}).find("\r\nx-custom-field: Value\r\n"), std::string::npos)
      << "name not lowered";
}

TEST(HeadWriter, DroppedFieldsAreLeftOutAndOthersStay) {
  ResponseHead head;
  add(head, "content-length", "5");
  add(head, "transfer-encoding", "gzip");
  add(head, "content-length", "5");
  add(head, "x", "y");
  Framing framing;
  framing.first_content_length_only = true;
  framing.drop_transfer_encoding = true;
  const std::string ds = "before;HTTP/1.1 200 OK\r\ndate: <D>\r\nserver: uvicorn\r\n";
  EXPECT_EQ(written(head, framing), ds + "content-length: 5\r\nx: y\r\n\r\n");
  framing.drop_content_length = true;
  EXPECT_EQ(written(head, framing), ds + "x: y\r\n\r\n");
  EXPECT_EQ(
      written(head, Framing{}),
      ds + "content-length: 5\r\ntransfer-encoding: gzip\r\ncontent-length: 5\r\nx: y\r\n\r\n");
}

TEST(ChunkWriter, SizeIsHexadecimal) {
  for (const auto& [size, text] : {std::pair<std::size_t, const char*>{1, "1"},
                                   {9, "9"},
                                   {10, "a"},
                                   {16, "10"},
                                   {255, "ff"},
                                   {65536, "10000"}}) {
    std::string out = "x";
    const std::string data(size, 'd');
    write_chunk(data, out);
    EXPECT_EQ(out, "x" + std::string(text) + "\r\n" + data + "\r\n") << "chunk size is not hex";
  }
}

TEST(ChunkWriter, EmptyPieceWritesNothing) {
  std::string out;
  write_chunk("", out);
  EXPECT_EQ(out, "") << "an empty piece ended the body";
}

TEST(ChunkWriter, LastChunkEndsTheBody) {
  std::string out;
  write_last_chunk(out);
  EXPECT_EQ(out, "0\r\n\r\n");
}

TEST(OwnAnswer, BadRequestIsTheReferencesBytes) {
  EXPECT_EQ(bad_request(default_fields("<D>")),
            "HTTP/1.1 400 Bad Request\r\ndate: <D>\r\nserver: uvicorn\r\n"
            "content-type: text/plain; charset=utf-8\r\ncontent-length: 30\r\nconnection: close\r\n"
            "\r\nInvalid HTTP request received.");
}

TEST(OwnAnswer, ContentTooLargeCountsItsBody) {
  EXPECT_EQ(content_too_large(""),
            "HTTP/1.1 413 Content Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
            "content-length: 17\r\nconnection: close\r\n\r\nContent Too Large");
}

}  // namespace
}  // namespace overbite::http
