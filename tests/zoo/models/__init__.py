"""One file for each model or family; ``tests.zoo.registry`` lists what they build."""
