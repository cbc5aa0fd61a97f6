import { inject } from 'vitest'
import { actorsOf } from './actors.ts'

export type { Developer } from './actors.ts'

/** The system that all suites share, and those who use it. */
export const systemUrl = inject('system').url
export const { operator, api, newDeveloper, untilSettled, newSandbox } = actorsOf(inject('system'))
