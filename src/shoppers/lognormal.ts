import { normalQuantile } from '../catalog/distributions.ts';

/** A lognormal number from a uniform one: `median` · e^(`sigma` · z), z standard normal. Its mean is median · e^(σ²/2). */
export function lognormal(median: number, sigma: number): (u: number) => number {
  return (u) => median * Math.exp(sigma * normalQuantile(u));
}
