/**
 * Stateless random functions of time: the value at an instant depends only on a seed and the instant, so a simulation
 * can start at any time. These functions use only sums, products and integer operations, whose results are the same in
 * every JavaScript engine.
 */

/** A uniform number in [0, 1) for a seed and a whole number. */
export function chanceAt(seed: number, index: number): number {
  let h = Math.imul(seed ^ Math.imul(index | 0, 0x9e3779b1), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

/** Derives a seed from another seed. */
export function seedAt(seed: number, index: number): number {
  let h = Math.imul(seed ^ Math.imul(index | 0, 0x9e3779b1), 0x2c1b3c6d)
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39)
  return h ^ (h >>> 15)
}

/** Smooth noise in [-1, 1]: interpolates between random values at the whole numbers. */
export function smoothNoise(seed: number, at: number): number {
  const index = Math.floor(at)
  const part = at - index
  const eased = part * part * (3 - 2 * part)
  const from = chanceAt(seed, index)
  return 2 * (from + (chanceAt(seed, index + 1) - from) * eased) - 1
}

/**
 * cos(2πx), to six decimals. Math.cos may differ in its last bit between engines, and the difference could change the
 * rounded value of a sensor.
 */
export function cosTurn(x: number): number {
  let turn = x - Math.floor(x)
  if (turn > 0.5) turn = 1 - turn
  const isFarHalf = turn > 0.25
  const angle = (isFarHalf ? 0.5 - turn : turn) * 6.283185307179586
  const s = angle * angle
  const cosine = 1 - s * (0.5 - s * (0.0416666666 - s * (0.0013888888 - s * (0.0000248015 - s * 0.0000002755))))
  return isFarHalf ? -cosine : cosine
}
