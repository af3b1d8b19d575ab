"""Writers: a tree becomes the text of a robot file. They are given trees, and import nothing of the model."""
