import { problems } from '@storey/contract'
import { RE2JS } from 're2js'

export interface Pattern {
  test(text: string): boolean
  /** The schema compiler distinguishes patterns by this text. */
  toString(): string
  /** The number of steps of the compiled pattern, which is the maximum cost per character. */
  readonly size: number
}

/** Compiles a pattern with an engine that always runs in linear time. */
export function compilePattern(pattern: string): Pattern {
  const engine = translated(pattern)
  return { test: (text) => engine.test(text), toString: () => pattern, size: engine.programSize() }
}

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
