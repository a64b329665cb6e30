// What the cases wire: the values of a layer, one of each role, with the weights that make them. Never run.
#pragma once
#include "model/forward.hpp"
#include "model/published_config.hpp"

namespace lawful::model {

template <class M>
struct Parts {
  const Weights<M>& weights;
  const Layer<M>& layer;
  KvCache<M>& cache;
  KvRoom<M> room;
  LayerCache<M, Dynamic> layer_cache;
  Room<M, Dynamic> layer_room;
  Pushed<LayerCache<M, Dynamic>> seen;
  LayerIndex<M> index;
  Positions<M> at;
  Tokens<M> tokens;

  Rows<Residual<M>> x;
  Rows<AttnInput<M>> n1;
  Rows<Query<M>> q;
  Rows<Key<M>> k;
  Rows<Value<M>> v;
  Rows<Rotated<Query<M>>> qr;
  Rows<Rotated<Key<M>>> kr;
  Rows<Attended<M>> attn;
  Rows<AttnDelta<M>> o;
  Rows<AttnResidual<M>> a;
  Rows<MlpInput<M>> n2;
  Rows<Gate<M>> gate;
  Rows<Up<M>> up;
  Rows<Gated<M>> m;
  Rows<MlpDelta<M>> down;
  Rows<BlockOut<M>> y;
  Rows<Final<M>> last;
};

}  // namespace lawful::model

using namespace lawful::model;
using std::move;
