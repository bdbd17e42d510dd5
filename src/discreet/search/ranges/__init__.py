"""The worst case: searches, proofs and baselines over the ranges [[S|x]] alone [AC]."""
