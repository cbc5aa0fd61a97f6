import { inject } from 'vitest'
import { actorsOf, atCommandLine, overHttp } from './actors.ts'

export type { Developer } from './actors.ts'

/** Values that the global setup provides to each suite. */
declare module 'vitest' {
  interface ProvidedContext {
    system: { url: string; env: Record<string, string>; operatorUrl: string }
  }
}

/** The users of a system that a suite starts. Operator commands need no process of their own. */
export const actorsAt = (system: { url: string; env: NodeJS.ProcessEnv }) =>
  actorsOf(system, overHttp(inject('system').operatorUrl, system.env))

/** The system that all suites share, and its users. */
export const systemUrl = inject('system').url
export const { operator, api, newDeveloper, waitWhileProvisioning, newSandbox } = actorsAt(inject('system'))

/** Runs the real command, for tests of its output and exit code. */
export const operatorCommand = atCommandLine(inject('system').env)
