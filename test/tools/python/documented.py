"""documented.py: runs the examples of the package's texts and of docs/python.md as printed."""

import doctest
import sys
import typing

import weir
import weir._compiler

flags = doctest.ELLIPSIS
runner = doctest.DocTestRunner(optionflags=flags)
finder = doctest.DocTestFinder(exclude_empty=True)
for thing in [getattr(weir, name) for name in weir.__all__] + [weir._compiler.flags]:
    for test in finder.find(thing, thing.__name__, module=False, globs=dict(vars(weir._compiler))):
        runner.run(test)
found = runner.summarize()
assert found.attempted > 25, found
if found.failed:
    sys.exit(1)
if len(sys.argv) > 1:
    found = doctest.testfile(sys.argv[1], module_relative=False, optionflags=flags)
    assert found.attempted > 20, found
    if found.failed:
        sys.exit(1)
# All annotations name types that exist.
for thing in (weir.compile, weir.load, weir.Model.fit, weir.Model.inputs, weir.Model.clone, weir.Model, weir.TensorInfo):
    assert typing.get_type_hints(thing)
print("all right")
