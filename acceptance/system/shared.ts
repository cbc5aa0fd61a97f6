import { inject } from 'vitest'
import { actorsOf, atCommandLine, atDesk } from './actors.ts'

export type { Developer } from './actors.ts'

/** What the set-up of all suites hands to each. */
declare module 'vitest' {
  interface ProvidedContext {
    system: { url: string; env: Record<string, string>; deskUrl: string }
  }
}

/** The system that all suites share, and those who use it. */
export const systemUrl = inject('system').url
export const { operator, api, newDeveloper, untilSettled, newSandbox } = actorsOf(
  inject('system'),
  atDesk(inject('system').deskUrl),
)

/** For what is to be seen of the command itself. */
export const operatorCommand = atCommandLine(inject('system').env)
