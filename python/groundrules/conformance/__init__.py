"""The conformance kit: vectors, the verifier's answers to them, and the score."""
