#pragma once

/* The earlier name of the C interface's header, for one version. */
#include "splitgp/splitgp_c.h"
