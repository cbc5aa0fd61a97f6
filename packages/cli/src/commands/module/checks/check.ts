/** `skipped`: not checked, and `found` has the reason. `note`: information that never fails the command. */
export type CheckState = 'ok' | 'warn' | 'fail' | 'skipped' | 'note'

export interface Check {
  name: string
  state: CheckState
  /** The result, a sentence without its full stop. */
  found: string
  /** How to fix what was found, if the state is `warn` or `fail`. */
  fix?: string
}

export const ok = (name: string, found: string): Check => ({ name, state: 'ok', found })
export const warn = (name: string, found: string, fix: string): Check => ({ name, state: 'warn', found, fix })
export const fail = (name: string, found: string, fix: string): Check => ({ name, state: 'fail', found, fix })
export const skipped = (name: string, why: string): Check => ({
  name,
  state: 'skipped',
  found: `not checked: ${why}`,
})
export const note = (name: string, found: string): Check => ({ name, state: 'note', found })
