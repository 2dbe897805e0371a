# Makes Doxygen's comments of plain ones: before what they describe, or behind it.
1s#^/\*#/** \\file#
s#^/\* #/** #
s#\([^ ] \+\)/\* #\1/**< #
