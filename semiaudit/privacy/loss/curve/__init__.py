"""One number of a product at many places, from compositions that the places share."""
