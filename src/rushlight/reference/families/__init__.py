"""The operators, one family a module: every function here is one ATen overload."""
