import { problems } from '@storey/contract'
import { RE2JS } from 're2js'
import { estimateSize } from './pattern-size.ts'

export interface Pattern {
  test(text: string): boolean
  /** The schema compiler distinguishes patterns by this text. */
  toString(): string
  /** The number of steps of the compiled pattern, which is the maximum cost per character. */
  readonly size: number
}

/**
 * While the engine tests a text, it caches states of the pattern, up to 8 MB for each pattern. After the test a cache
 * with more bytes than this for each step of the pattern is dropped, so that the patterns of a schema keep at most 4 MB.
 */
const KEPT_BYTES_PER_STEP = 1_000

/** Compiles a pattern with an engine that always runs in linear time. */
export function compilePattern(pattern: string): Pattern {
  const engine = translated(pattern)
  const size = engine.programSize()
  return {
    test(text) {
      const matches = engine.test(text)
      dropLargeCache(engine, KEPT_BYTES_PER_STEP * size)
      return matches
    },
    toString: () => pattern,
    size,
  }
}

function dropLargeCache(engine: RE2JS, maxBytes: number): void {
  const re2 = engine.re2()
  const cache: typeof re2.lazyDFA | null = re2.lazyDFA
  if (cache !== null && cache.stateBudget - cache.memBudget > maxBytes) Object.assign(re2, { lazyDFA: null })
}

/** Estimates the size of a pattern without compiling it, which takes long if the pattern is large. */
export const estimatePattern = (pattern: string): number => estimateSize(RE2JS.translateRegExp(pattern))

function translated(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch (err) {
    const reason = (err as Error).message.replace(/^error parsing regexp: /, '')
    throw problems.valueSchemaInvalid(
      `has the pattern ${short(pattern)}, which is invalid or cannot run in linear time (${short(reason)}): ` +
        'lookaround and backreferences are not supported',
    )
  }
}

export const short = (text: string) => (text.length > 120 ? `${text.slice(0, 120)}…` : text)
