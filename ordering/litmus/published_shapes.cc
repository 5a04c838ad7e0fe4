// Two threads that store and load two locations, and what one access more or less does.
#include "ordering/litmus/published.h"

namespace overbite::ordering::litmus {

static std::vector<Published> store_buffers() {
  return {
      {"litmus/SB", 3, 4, "Wx=1.rel Ry.acq | Wy=1.rel Rx.acq"},
      {"litmus/SB+4sc", 3, 3, "Wx=1.sc Ry.sc | Wy=1.sc Rx.sc"},
      {"litmus/SB+3sc+acq", 3, 4, "Wx=1.sc Ry.sc | Wy=1.sc Rx.acq"},
      {"litmus/SB+3sc+rel", 3, 4, "Wx=1.sc Ry.sc | Wy=1.rel Rx.sc"},
      {"litmus/SB+scfs", 3, 3, "Wx=1 F.sc Ry | Wy=1 F.sc Rx"},
      {"litmus/SB+2sc+scf", 3, 3, "Wx=1.sc Ry.sc | Wy=1 F.sc Rx"},
      {"litmus/SB+rfis", 3, 4, "Wx=1.rel Rx.sc Ry.sc | Wy=1.rel Ry.sc Rx.sc"},
      {"litmus/RWC+syncs", 7, 7, "Wx=1 | Rx F.sc Ry | Wy=1 F.sc Rx"},
      {"litmus/W+RWC", 7, 7, "Wx=1 Wz=1.rel | Rz.acq F.sc Ry | Wy=1 F.sc Rx"},
      {"litmus/peterZ", 7, 7, "Wx=1 F.sc Ry | Wy=1 Wz=1.rel | Rz.acq F.sc Rx"},
      {"litmus/WWmerge1", 15, 17, "Rx.acq Ry.sc | Wx=1.sc Wx=2.sc | Wy=1.sc Rx.sc", {}, false, 18},
      {"litmus/WWmerge2", 7, 8, "Rx.acq Ry.sc | Wx=2.sc | Wy=1.sc Rx.sc"},
  };
}

static std::vector<Published> message_passing() {
  return {
      {"litmus/MP", 3, 3, "Wx=1.rel Wy=1.rel | Ry.acq Rx.acq"},
      {"litmus/MP2", 9, 9, "Wa=1 Wc=1 F.ar Wb=1 Wd=1 | Rb F.ar Ra | Rd F.ar Rc"},
      {"litmus/S", 3, 4, "Wx=2 Wy=1 | Ry Wx=1"},
      {"litmus/atomicpo", 3, 4, "Wy=1 F.ar Wx=1 | Ex=1 Ey=1"},
      {"litmus/IRIW-acq-sc", 15, 16, "Wx=1.sc | Rx.acq Ry.sc | Ry.acq Rx.sc | Wy=1.sc"},
      {"litmus/IRIWish", 27, 28, "Wx=1 | Rx Wy=r.rel | Rx F.ar Ry | Ry F.ar Rx"},
      {"litmus/small1", 8, 8, "Ry.acq Rz.acq Rx.acq | Wx=1.rel | Wy=1.rel Wz=1.rel"},
  };
}

static std::vector<Published> load_buffers() {
  return {
      {"litmus/LB", 3, 3, "Ry.acq Wx=1.rel | Rx.acq Wy=1.rel"},
      {"litmus/LB2", 3, 3, "Rx Wy=1 | Ry Wx=1"},
      {"litmus/LB3", 7, 7, "Ra Wb=1 | Rb Wc=1 | Rc Wa=1"},
      {"litmus/LB+acq", 3, 3, "Rx.acq Wy=1 | Ry.acq Wx=1"},
      {"litmus/LB+rel", 3, 3, "Rx Wy=1.rel | Ry Wx=1.rel"},
      {"litmus/LB+dep", 3, 3, "Rx Wy=r+1 | Ry Wx=r+1"},
      {"litmus/LB+fr-fr-data+data", 16, 18, "Rx Wy=1 | Ry Ry Wx=1 | Wy=2"},
      {"litmus/LB+incMPs",
       15,
       15,
       "Rx.acq Az+1.ar | Az+1.ar Wy=1.rel | Ry.acq Aw+1.ar | Aw+1.ar Wx=1.rel"},
      {"litmus/MP+incMP", 7, 7, "Ry.acq Az+1.ar | Az+1.ar Rx.acq | Wx=1.rel Wy=1.rel"},
      {"litmus/TC1", 3, 3, "Rx Wy=1 | Ry Wx=r"},
      {"litmus/po-loc", 3, 3, "Ry F.ar Rx Wx=1 | Rx Wy=r"},
      {"litmus/rel-pporf", 3, 3, "Rx Ez=1.rel Wy=1.rel | Ry Wx=1"},
      {"litmus/rel-pporf -DUSE_STORE", 3, 3, "Rx Wz=1.rel Wy=1.rel | Ry Wx=1"},
      {"litmus/rfi-preserved", 3, 3, "Rx Wy=1.rel Ry Wz=r | Rz Wx=r"},
      {"litmus/detour", 9, 9, "Wx=1 | Rz Wx=r-1 Rx Wy=r | Ry Wz=r"},
  };
}

static std::vector<Published> two_stores_each() {
  return {
      {"litmus/2+2W", 3, 4, "Wx=1.rel Wy=2.rel | Wy=1.rel Wx=2.rel"},
      {"litmus/2+2W+4sc", 3, 3, "Wx=1.sc Wy=2.sc | Wy=1.sc Wx=2.sc"},
      {"litmus/2+2W+3sc+rel1", 3, 4, "Wx=1.sc Wy=2.sc | Wy=1.rel Wx=2.sc"},
      {"litmus/2+2W+3sc+rel2", 3, 4, "Wx=1.sc Wy=2.sc | Wy=1.sc Wx=2.rel"},
      {"litmus/2+2W+2sc+scf", 3, 3, "Wx=1.sc Wy=2.sc | Wy=1 F.sc Wx=2"},
      {"litmus/2+2W+scfs", 3, 3, "Wx=1 F.sc Wy=2 | Wy=1 F.sc Wx=2"},
      {"litmus/Z6.U", 18, 22, "Wx=1.sc Wy=1.rel | Ay+1.sc Ry | Wy=3.sc Rx.sc", {}, false, 24},
      {"litmus/Z6+acq", 7, 7, "Wa=1 F.sc Wb=1 | Rb.acq Wc=1 | Wc=2 F.sc Ra"},
      {"litmus/WWR+2WR",
       0,
       0,
       "Wx=1.sc Wy=1.sc Rz.sc assume=0 | Wz=1.sc Ry.sc assume=2 | Wy=2.sc Rx.sc assume=0"},
  };
}

static std::vector<Published> one_location() {
  return {
      {"litmus/CoRR", 6, 6, "Wx=1.rel Wx=2.rel | Rx.acq Rx.acq"},
      {"litmus/CoRR0", 4, 4, "Wx=1.rel | Rx.acq | Rx.acq"},
      {"litmus/CoRR1", 36, 36, "Wx=1.rel | Wx=2.rel | Rx.acq Rx.acq | Rx.acq"},
      {"litmus/CoRR2", 72, 72, "Wx=1.rel | Wx=2.rel | Rx.acq Rx.acq | Rx.acq Rx.acq"},
      {"litmus/CoRW", 3, 3, "Rx.acq Wx=1.rel | Wx=2.rel"},
      {"litmus/CoWR", 3, 3, "Wx=1.rel Rx.acq | Wx=2.rel"},
      {"litmus/2CoWR", 4, 4, "Ry.acq | Rx.acq | Wx=1.rel | Wy=1.rel"},
      {"litmus/JLT", 8, 8, "Wx=1.rel Ry.acq Rx.acq | Wx=2.rel Rx.acq | Wy=3.rel"},
      {"litmus/MCP-rrw", 6, 6, "Wx=1.rel | Wx=2.rel | Rx.acq"},
      {"litmus/W+RRR+W", 20, 20, "Wx=1 | Rx Rx Rx | Wx=2"},
      {"litmus/default", 12, 12, "Rx.acq Rx.acq | Wx=1.rel | Wx=2.rel"},
      {"litmus/small0", 9, 9, "Rx.acq | Rx.acq Wx=1.rel | Wx=2.rel"},
      {"litmus/fr+w+w+w+reads", 210, 210, "Wx=1 | Wx=2 | Wx=3 | Rx Rx Rx Rx"},
      {"synthetic/wrc11_fp", 4, 4, "Wx=1.rel | Wx=2.rel Rx.acq Rx.acq"},
  };
}

std::vector<Published> published_shapes() {
  std::vector<Published> all = store_buffers();
  for (const auto& some : {message_passing(), load_buffers(), two_stores_each(), one_location()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace overbite::ordering::litmus
