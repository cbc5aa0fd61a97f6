/**
 * If the sum of values would overflow, the values are multiplied by this number. It is a power of two, because such a
 * multiplication changes only the exponent of a value.
 */
const SCALE = 2 ** -64

/** Kahan summation of values that come in parts: it keeps rounding errors small. */
export class Sum {
  #sum = 0
  #lost = 0

  add(values: Float64Array, from: number, to: number): void {
    let [sum, lost] = [this.#sum, this.#lost]
    for (let i = from; i < to && Number.isFinite(sum); i++) {
      const value = values[i]! - lost
      const next = sum + value
      lost = next - sum - value
      sum = next
    }
    this.#sum = sum
    this.#lost = lost
  }

  value(): number {
    return this.#sum
  }
}

/** The mean of values that come in parts, even where their sum would overflow. */
export class Mean {
  #sum = 0
  #lost = 0
  #scale = 1
  #count = 0

  add(values: Float64Array, from: number, to: number): void {
    let [sum, lost, scale] = [this.#sum, this.#lost, this.#scale]
    for (let i = from; i < to; i++) {
      let value = values[i]! * scale - lost
      let next = sum + value
      if (scale === 1 && !Number.isFinite(next)) {
        scale = SCALE
        sum *= SCALE
        lost *= SCALE
        value = values[i]! * SCALE - lost
        next = sum + value
      }
      lost = next - sum - value
      sum = next
    }
    this.#sum = sum
    this.#lost = lost
    this.#scale = scale
    this.#count += to - from
  }

  value(): number {
    return this.#sum / this.#count / this.#scale
  }
}
