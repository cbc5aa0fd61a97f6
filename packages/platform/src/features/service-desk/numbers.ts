type Kind = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>

export interface Numbers<T extends Kind> {
  get(i: number): number
  set(i: number, value: number): void
  /** The current array, for loops. A later `set` may replace it. */
  all(): T
}

/**
 * A typed array that grows on write. An element that was never set is 0. (The numbers of requests, such as SR-000123,
 * are something else: `requestNumber` in contract/src/service-desk.ts formats them.)
 */
export function createNumbers<T extends Kind>(kind: new (length: number) => T): Numbers<T> {
  let values = new kind(64)
  return {
    get: (i) => values[i] ?? 0,
    set(i, value) {
      if (i >= values.length) {
        const larger = new kind(Math.max(i + 1, Math.ceil(values.length * 1.5)))
        larger.set(values)
        values = larger
      }
      values[i] = value
    },
    all: () => values,
  }
}
