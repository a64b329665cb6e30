// The code that laws speak about, as one type to pass to `holds`. A mutant derives from it and gets one thing wrong.
#pragma once
#include "kernels/index.hpp"
#include "model/config.hpp"

namespace lawful::laws {

/// The product as it is: the kernels' index maps and the models' configs.
struct Product : kernels::Index {
  template <class Model>
  static constexpr model::Config config = Model::config;
};

}  // namespace lawful::laws
