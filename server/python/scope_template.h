// The ASGI scope of an HTTP request: one PyDict_Copy of what never changes, then a store for each
// thing that does. Attached, always.
#pragma once

#include <optional>
#include <string>

#include "server/base/result.h"
#include "server/python/refs.h"
#include "server/request/request.h"

namespace overbite::python {

class ScopeTemplate {
 public:
  // `root_path` without a trailing slash. `server_host/port`: the listener's address, the
  // template's "server" value; a request that came in by another local address gets its own.
  static base::Result<ScopeTemplate> make(const std::string& root_path,
                                          const std::string& server_host,
                                          int server_port);

  // A fresh dict in the reference's key order: type, asgi, http_version, server, client, scheme,
  // root_path, headers, state, method, path, raw_path, query_string. `state` is copied (shallow)
  // for the request; null: an empty dict. Null with an exception set on failure.
  Owned build(const request::Request& request, Borrowed state) const;

 private:
  // every key interned once, template dict with all keys in order
  Owned template_;
  std::string root_path_;
  std::string server_host_;
  int server_port_ = 0;
};

}  // namespace overbite::python
