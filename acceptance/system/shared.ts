import { inject } from 'vitest'
import { actorsOf, askOperator, atCommandLine, type OperatorAnswer, overHttp } from './actors.ts'
import { copyOf, type System, type SystemOptions, startSystem } from './system.ts'

export type { Developer } from './actors.ts'

/** Values that the global setup provides to each suite. */
declare module 'vitest' {
  interface ProvidedContext {
    system: { url: string; env: Record<string, string>; operatorUrl: string; installedFolder: string }
  }
}

/** The users of a system that a suite starts. A server of the global setup runs their operator commands. */
export const actorsAt = (system: { url: string; env: NodeJS.ProcessEnv }) =>
  actorsOf(system, overHttp(inject('system').operatorUrl, system.env))

/** Copies the data folder of a system that was started once. The copy belongs to the caller. */
export const installedFolder = () => copyOf(inject('system').installedFolder)

/** Starts a system on such a copy, which takes half as long as a start on an empty folder. */
export const startInstalled = (options: SystemOptions = {}): Promise<System> =>
  startSystem({ dataDir: installedFolder(), ...options })

/** The system that all suites share, and its users. */
export const systemUrl = inject('system').url
export const { operator, api, newDeveloper, waitWhileProvisioning, newSandbox } = actorsAt(inject('system'))

/** Runs an operator command in a process of its own, as an operator does. */
export const operatorCommand = atCommandLine(inject('system').env)

/** Runs an operator command in this environment, in the server of the global setup. */
export const operatorAnswer = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<OperatorAnswer> =>
  askOperator(inject('system').operatorUrl, { args, env })
