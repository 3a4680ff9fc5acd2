"""What the repository needs beside the package: nothing here is in the wheel, and the package imports none of it."""
