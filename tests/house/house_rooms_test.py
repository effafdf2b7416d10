"""Tests of scripts/house: circles of rooms, includes that run up the stairs, depth and size."""

import shutil
import unittest

from planted_tree import ROOT, PlantedTree

from house_tree import HouseError

ROOMS = ["sim/core", "sim/core/rules", "engines/models", "engines/models/cpu", "analysis/tables",
         "experiments/drivers/run", "experiments/drivers/run/near", "experiments/bench", "sim/top"]
BLOCKS = ["sim", "engines", "analysis", "drivers", "bench"]


def include(path):
    return f'#include "{path}"\n'


class Circles(PlantedTree):
    def test_of_three_rooms_are_one(self):
        """Defect: a circle that closes by way of a third room is not seen."""
        self.write("engines/models/model.h", "")
        self.write("engines/search/beam.h", "\n" + include("engines/models/model.h"))
        self.write("sim/core/chance.h", include("engines/search/beam.h"))
        result = self.house()
        self.assertEqual(result.returncode, 1)
        self.assertIn("circles: 1 is above the limit of 0\n  engines/models/model.cpp:1: a circle "
                      "of 3 rooms: engines/models engines/search sim/core;", result.stdout)
        self.assertIn("engines/search -> engines/models (engines/search/beam.h:2)", result.stdout)

    def test_apart_from_each_other_are_several(self):
        """Defect: circles without a common room are counted as one."""
        for one, other in (("a", "b"), ("c", "d")):
            self.write(f"sim/{one}/x.h", include(f"sim/{other}/x.h"))
            self.write(f"sim/{other}/x.h", "")
            self.write(f"sim/{other}/y.h", include(f"sim/{one}/y.h"))
            self.write(f"sim/{one}/y.h", "")
        self.assertEqual(self.number("circles"), 2)

    def test_are_not_made_by_includes_of_the_own_room_or_the_system(self):
        """Defect: `#include "x.h"` of the own folder, or a header of the system, is a door."""
        self.write("sim/core/chance.h", include("law.h") + "#include <vector>\n")
        self.assertEqual(self.number("circles"), 0)

    def test_are_also_made_by_includes_in_brackets(self):
        """Defect: an include of a file of the tree is not seen where it stands in brackets."""
        self.write("sim/core/chance.h", "#include <engines/models/model.h>\n")
        self.write("engines/models/model.h", "")
        self.assertEqual(self.number("circles"), 1)

    def test_are_not_made_by_a_folder_and_its_subfolder(self):
        """Defect: a room and the room within it, which are one idea, count as a circle."""
        self.write("sim/core/rules/rule.h", include("sim/core/law.h"))
        self.write("sim/core/chance.h", include("sim/core/rules/rule.h"))
        self.assertEqual(self.number("circles"), 0)
        self.write("sim/core_two/two.h", include("sim/core/law.h"))
        self.write("sim/core/back.h", include("sim/core_two/two.h"))
        self.assertEqual(self.number("circles"), 1)


class Stairs(PlantedTree):
    def setUp(self):
        super().setUp()
        for room in ROOMS:
            self.write(f"{room}/plain.h", "")
        self.write("tests/layering/stairs.txt", "# lowest first\n\n" +
                   "".join(f"{room}  # a room\n" for room in ROOMS))

    def test_are_not_there_yet(self):
        """Defect: a tree without stairs passes in silence, or fails."""
        (self.root / "tests/layering/stairs.txt").unlink()
        result = self.house()
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout.count("no stairs yet"), 5)

    def test_show_an_include_up_in_every_room(self):
        """Defect: includes of some room may run up unseen, or count in another block."""
        for room, higher in zip(ROOMS, ROOMS[1:]):
            with self.subTest(room):
                block = next(name for name in BLOCKS if name in room)
                self.write(f"{room}/plain.h", "\n\n" + include(f"{higher}/plain.h"))
                self.assertEqual(self.found(f"up_{block}"), [f"{room}/plain.h:3"])
                self.assertEqual(sum(self.number(f"up_{name}") for name in BLOCKS), 1)
                self.write(f"{room}/plain.h", "")

    def test_end_the_command_where_one_runs_up(self):
        """Defect: an include up is counted and does not fail."""
        self.write("sim/core/plain.h", include("experiments/bench/plain.h"))
        result = self.house()
        self.assertEqual(result.returncode, 1)
        self.assertIn("up_sim: 1 is above the limit of 0\n  sim/core/plain.h:1: "
                      "'experiments/bench/plain.h' stands higher", result.stdout)

    def test_may_be_run_down(self):
        """Defect: an include of a lower room, or of the own one, counts as one up."""
        self.write("sim/top/top.h", "".join(include(f"{room}/plain.h") for room in ROOMS))
        self.assertEqual(self.found("up_sim"), [])

    def test_hold_every_folder(self):
        """Defect: a new folder stands beside the stairs, so that it may include anything."""
        self.write("sim/new/rule.h", "")
        result = self.house()
        self.assertEqual(result.returncode, 2)
        self.assertIn("sim/new/rule.h:1: no room of tests/layering/stairs.txt holds 'sim/new'",
                      result.stderr)

    def test_hold_a_subfolder_as_part_of_its_room(self):
        """Defect: files of a subfolder may include anything, or not even their own room."""
        self.write("engines/models/cpu/near/rule.h",
                   include("engines/models/cpu/plain.h") + include("sim/top/plain.h"))
        self.assertEqual(self.found("up_engines"), ["engines/models/cpu/near/rule.h:2"])

    def test_of_this_tree_show_an_include_up_out_of_every_room(self):
        """Defect: a room of the real stairs from which includes may run up unseen."""
        stairs = (ROOT / "tests/layering/stairs.txt").read_text(encoding="utf-8")
        rooms = [line for line in stairs.splitlines() if line and not line.startswith("#")]
        self.write("tests/layering/stairs.txt", stairs)
        shutil.rmtree(self.root / "sim")
        shutil.rmtree(self.root / "engines")
        shutil.rmtree(self.root / "analysis")
        shutil.rmtree(self.root / "experiments")
        for room in rooms:
            self.write(f"{room}/plain.h", "")
        for room, higher in zip(rooms, rooms[1:]):
            with self.subTest(room):
                path = self.root / room / "plain.h"
                path.write_text(include(f"{higher}/plain.h"), encoding="utf-8")
                found = [place for name in BLOCKS for place in self.found(f"up_{name}")]
                self.assertEqual(found, [f"{room}/plain.h:1"])
                path.write_text("", encoding="utf-8")

    def test_have_no_line_twice_and_none_of_a_folder_that_is_gone(self):
        """Defect: of two lines for a room one is believed; a room that went keeps its line."""
        for line, message in (("sim/core", "12: the room 'sim/core' has a line already"),
                              ("sim/gone", "the room 'sim/gone' has no sources")):
            path = self.root / "tests/layering/stairs.txt"
            whole = path.read_text(encoding="utf-8")
            path.write_text(whole + line + "\n", encoding="utf-8")
            with self.assertRaisesRegex(HouseError, message):
                self.found("up_sim")
            path.write_text(whole, encoding="utf-8")


class Depth(PlantedTree):
    def test_is_that_of_the_longest_chain_and_the_widest_closure(self):
        """Defect: a header that two others include is counted twice, or a chain ends too early."""
        self.write("sim/core/left.h", include("sim/core/law.h"))
        self.write("sim/core/right.h", include("sim/core/left.h") + include("sim/core/law.h"))
        self.write("sim/core/all.cpp", include("sim/core/law.h") + include("sim/core/right.h"))
        self.assertEqual(self.number("include_depth"), 4)
        self.assertEqual(self.number("include_closure"), 3)
        self.assertEqual(self.found("include_closure"), ["sim/core/all.cpp:1"])

    def test_has_no_end_where_headers_include_each_other(self):
        """Defect: two headers that include each other make the measure run for ever."""
        self.write("sim/core/left.h", include("sim/core/right.h"))
        self.write("sim/core/right.h", include("sim/core/left.h"))
        result = self.house()
        self.assertEqual(result.returncode, 2)
        self.assertIn("sim/core/left.h -> sim/core/right.h -> sim/core/left.h", result.stderr)

    def test_largest_room_has_no_subfolders(self):
        """Defect: files of a subfolder count as those of the room, or those of engines do."""
        for name in ("run/a.h", "run/b.cpp", "run/near/c.h", "d.h"):
            self.write(f"experiments/drivers/{name}", "")
        for name in "efgh":
            self.write(f"engines/models/{name}.h", "")
        self.assertEqual(self.number("largest_room"), 2)


if __name__ == "__main__":
    unittest.main()
