/**
 * SHA-256 in plain TypeScript. The portal computes the hash of a building (`fingerprint.ts`) synchronously, and the
 * SHA-256 of browsers is asynchronous.
 */
export interface Sha256 {
  update(text: string): void
  hex(): string
}

// SHA-256 defines its constants as fractional bits of the cube and square roots of the first primes.
const { roundConstants, initialState } = constants()

export function sha256(): Sha256 {
  const state = Int32Array.from(initialState)
  const block = new Uint8Array(64)
  const words = new Int32Array(64)
  const encoder = new TextEncoder()
  let filled = 0
  let length = 0

  function feed(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      const take = Math.min(64 - filled, bytes.length - at)
      block.set(bytes.subarray(at, at + take), filled)
      filled += take
      at += take
      if (filled === 64) {
        compress(state, block, words)
        filled = 0
      }
    }
  }

  return {
    update(text) {
      const bytes = encoder.encode(text)
      length += bytes.length
      feed(bytes)
    },
    hex() {
      const padding = new Uint8Array((filled < 56 ? 56 : 120) - filled + 8)
      padding[0] = 0x80
      const view = new DataView(padding.buffer)
      view.setUint32(padding.length - 8, Math.floor(length / 0x20000000))
      view.setUint32(padding.length - 4, (length * 8) >>> 0)
      feed(padding)
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
    },
  }
}

function compress(state: Int32Array, block: Uint8Array, w: Int32Array): void {
  for (let i = 0; i < 16; i++) {
    w[i] = (block[i * 4]! << 24) | (block[i * 4 + 1]! << 16) | (block[i * 4 + 2]! << 8) | block[i * 4 + 3]!
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!
    const y = w[i - 2]!
    const s0 = rotateRight(x, 7) ^ rotateRight(x, 18) ^ (x >>> 3)
    const s1 = rotateRight(y, 17) ^ rotateRight(y, 19) ^ (y >>> 10)
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + roundConstants[i]! + w[i]!) | 0
    const s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}

const rotateRight = (value: number, by: number) => (value >>> by) | (value << (32 - by))

function constants() {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return {
    roundConstants: Int32Array.from(primes, (prime) => rootFraction(BigInt(prime), 3n)),
    initialState: Int32Array.from(primes.slice(0, 8), (prime) => rootFraction(BigInt(prime), 2n)),
  }
}

/** The first 32 fractional bits of the square root (`degree` 2) or cube root (`degree` 3) of a prime. */
function rootFraction(prime: bigint, degree: bigint): number {
  const scaled = prime << (32n * degree)
  let low = 0n
  let high = 1n << 36n
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (middle ** degree <= scaled) low = middle
    else high = middle
  }
  return Number(low & 0xffffffffn) | 0
}
