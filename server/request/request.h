// One request on its way to an application.
#pragma once

#include <memory>
#include <string>

#include "server/base/payload.h"
#include "server/http/request_parser.h"

namespace overbite::request {

// The two ends of a connection, shared by its requests. A host is empty when the end has no
// address.
struct Endpoints {
  std::string client_host;
  int client_port = 0;
  std::string server_host;
  int server_port = 0;
};

// Owned by the executor from the moment it is submitted. The loop thread never looks at it again.
struct Request final : base::Payload {
  std::unique_ptr<http::RequestHead> head;
  std::shared_ptr<const Endpoints> endpoints;
  std::string body;            // what had arrived when the request was submitted
  bool body_complete = false;  // nothing more will come
  bool draining = false;       // the server was stopping when the request was submitted
  std::string date;            // IMF-fixdate of the moment the head was complete
};

// A further piece of the body (JobKind::kBody).
struct BodyPiece final : base::Payload {
  std::string bytes;
  bool last = false;
};

// Bytes for the wire (CompletionKind::kInterim, kDone, kBegin).
struct Reply final : base::Payload {
  std::string bytes;
  bool close =
      false;  // the connection ends behind these bytes (kDone), or behind the stream (kBegin)
};

}  // namespace overbite::request
