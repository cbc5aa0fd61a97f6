/** `skipped` was not looked at, and says why; a `note` is for the reader, and cannot be wrong. */
export type CheckState = 'ok' | 'warn' | 'fail' | 'skipped' | 'note'

export interface Check {
  name: string
  state: CheckState
  /** What was seen, a sentence without its full stop. */
  found: string
  /** What to do about it. */
  mend?: string
}

export const ok = (name: string, found: string): Check => ({ name, state: 'ok', found })
export const warn = (name: string, found: string, mend: string): Check => ({ name, state: 'warn', found, mend })
export const fail = (name: string, found: string, mend: string): Check => ({ name, state: 'fail', found, mend })
export const skipped = (name: string, why: string): Check => ({
  name,
  state: 'skipped',
  found: `not looked at: ${why}`,
})
export const note = (name: string, found: string): Check => ({ name, state: 'note', found })
