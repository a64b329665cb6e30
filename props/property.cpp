#include "props/property.hpp"

#include <cstdlib>

namespace lawful::props {

rc::detail::TestParams search_params(int cases) {
  rc::detail::TestParams params;
  const char* seed = std::getenv("LAWFUL_SEED");
  params.seed = seed != nullptr ? std::strtoull(seed, nullptr, 10) : 20261129;
  params.maxSuccess = cases;
  return params;
}

}  // namespace lawful::props
