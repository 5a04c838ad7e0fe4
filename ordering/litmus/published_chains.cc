// What is known through a third thread, release sequences, and read-modify-writes.
#include "ordering/litmus/published.h"

namespace overbite::ordering::litmus {

static std::vector<Published> causality() {
  return {
      {"litmus/WRC+dep", 7, 8, "Wx=1 | Rx Wy=r | Ry F.ar Rx"},
      {"litmus/isa2", 7, 7, "Wa=1 Wb=1.rel | Rb.acq Wc=1.rel | Rc.acq Ra"},
      {"litmus/cumul-release", 7, 8, "Wx=1 Wy=1.rel | Ry Wz=r | Rz F.ar Rx"},
      {"litmus/relacq-B-cumul", 7, 8, "Wx=1 Wy=1.rel | Ry.acq Wz=1 | Rz F.ar Rx"},
      {"litmus/rel-B-cumul-acq", 14, 16, "Wx=1 Wy=1.rel | Ry Wz=r | Rz F.ar Rx | Ry.acq"},
      {"litmus/relseq", 16, 20, "Wx=1 Wy=1.rel Wy=2 | Ey=3 | Ry F.ar Rx"},
      {"litmus/viktor-relseq", 180, 180, "Ax+1 Ax+1 | Ax+1.acq Ax+1 | Ax+1.rel | Ax+1"},
      {"litmus/psc-ar", 0, 1, "Ry assume=1 F.sc Rz assume=0 | Wz=1 F.sc Wx=1 | Rx assume=1 Wy=1"},
      {"litmus/psc-base-notin-ar", 1, 2, "Rx assume=2 Wy=1.sc | Wy=2.sc | Ry assume=2 Wx=r"},
      {"litmus/psc-sbhbsb", 1, 1, "Wx=1.sc Wy=1.sc | Rx.acq assume=1 Ry.sc assume=0"},
      {"synthetic/psc-wb-fixpoint",
       0,
       0,
       "Wx=1.sc Ry.sc assume=0 | Wx=2 F.sc Rz assume=0 | Wy=1.sc Rx.sc assume=2 | "
       "Wz=1 F.sc Rx assume=1"},
      {"synthetic/psc-wb-fp-sezgin",
       0,
       0,
       "Wc=2.sc Wa=2.sc Rb.sc assume=2 | Wc=1.sc Ra.sc assume=2 Rb.sc assume=1 | "
       "Wb=2.sc Wa=1.sc Rc.sc assume=2 | Wb=1.sc Ra.sc assume=1 Rc.sc assume=1"},
      {"synthetic/psc-wb-why-fxp",
       0,
       0,
       "Wx=1.sc Ry.sc assume=0 Wy=1.sc Rx.sc assume=1 | "
       "Wx=2.sc Ry.sc assume=0 Wy=2.sc Rx.sc assume=2"},
  };
}

static std::vector<Published> read_modify_writes() {
  return {
      {"litmus/RMWFix", 4, 4, "Ry.sc if!0 Ax+1.sc Ax+1.sc | Ax+1.sc | Wy=42.sc"},
      {"litmus/casdep", 2, 2, "Rx Cy:0>1 Wz=r | Wy=2"},
      {"litmus/ccr", 2, 2, "Cx:0>42 | Cx:0>17 Rx"},
      {"litmus/cii", 6, 6, "Cx:1>2 | Ax+1 | Ax+1"},
      {"litmus/wcii", 24, 24, "Wx=5.rel | Cx:1>2 | Ax+1 | Ax+1"},
      {"litmus/inc2w", 6, 6, "Ax+1 | Wx=4.rel | Ax+2"},
      {"litmus/ori", 5, 5, "Ax+1 Wy=1.rel | Cx:0>1.acq/acq | Ry if!0 Wx=4.rel"},
      {"litmus/rii", 3, 3, "Rx Ax+1 | Ax+1"},
      {"litmus/rinc+wr", 3, 3, "Ax+1 | Wx=2 Rx"},
      {"litmus/riwi", 3, 3, "Ry Ax+1 | Ax+1 Wy=1.rel"},
      {"litmus/inc+inc+RR+W+RR", 600, 600, "Ax+1 | Ax+1 | Rx Rx | Wx=42 | Rx Rx"},
      {"synthetic/wb1", 0, 0, "Wx=1.sc Ax+1.sc assume=42 | Ax+42.sc assume=0 Rx.sc"},
      {"synthetic/wb2", 1, 1, "Rx assume=5 Rx | Rx assume=4 Wx=5 | Wx=3 Wx=4 | Ax+10 assume=3"},
      {"synthetic/wb3", 1, 1, "Rx assume=6 Rx | Wx=4 Wx=6 | Wx=3 Ax+1 assume=4 | Ax+10 assume=3"},
      {"synthetic/wb4", 1, 1, "Ax+1 assume=1 | Wx=1 Ax+1 assume=10 Rx | Wx=10"},
      {"synthetic/wb5", 1, 1, "Ax+1 assume=0 | Ax+1 assume=10 Rx | Wx=10"},
  };
}

std::vector<Published> published_chains() {
  std::vector<Published> all = causality();
  const std::vector<Published> more = read_modify_writes();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// A writer publishes data by a flag, a reader looks at the data behind the flag. "rels": the flag
// is read from a later, relaxed store, which is a race; there the data is a relaxed atomic.
std::vector<Published> published_data() {
  const struct {
    std::string name;
    std::string words;
  } writers[] = {
      {"rel", "dx=1 Wy=1.rel"}, {"relf", "dx=1 F.rel Wy=1"}, {"rels", "Wx=1 Wy=0.rel Wy=1"}};
  const struct {
    std::string name;
    std::string between;  // writer and reader
    std::string condition;
    bool stores;
    std::uint64_t safe;
    std::uint64_t sc;  // of the "rels" writer; RC11 has one more
  } readers[] = {{"MP", "", "if!0", false, 2, 3},
                 {"S", "", "if!0", true, 2, 3},
                 {"MPU", "| Ay+1 ", "if>1", true, 6, 12},
                 {"MPU2", "| Cy:2>3 | Cy:1>2 ", "if>2", true, 14, 35}};
  std::vector<Published> all;
  for (const auto& reader : readers) {
    for (const auto& writer : writers) {
      const bool racy = writer.name == "rels";
      const std::string access = reader.stores ? (racy ? "Wx=2" : "dx=2") : (racy ? "Rx" : "dx");
      for (const bool fence : {false, true}) {
        const std::string flag =
            fence ? "Ry " + reader.condition + " F.acq " : "Ry.acq " + reader.condition + " ";
        all.push_back({"litmus/" + reader.name + "+" + writer.name + (fence ? "+acqf" : "+acq"),
                       racy ? reader.sc : reader.safe,
                       racy ? reader.sc + 1 : reader.safe,
                       writer.words + " " + reader.between + "| " + flag + access,
                       {}});
      }
    }
  }
  return all;
}

}  // namespace overbite::ordering::litmus
