#pragma once

namespace splitgp {

/// Memory may run out where no exception can leave: in the destructor of a JSON value, while
/// another exception is on its way, in a thread. C++ then aborts the process. From this call on it
/// prints one line and exits with kFailure instead, without a commit. Any other exception that
/// nobody catches still aborts.
void end_in_order_without_memory();

}  // namespace splitgp
