"""The stochastic counterpart: privacy funnel and information bottleneck by clustering [PF]."""
