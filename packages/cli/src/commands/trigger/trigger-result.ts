import type { BuildingClient } from '@storey/sdk'
import type { Context } from '../../context.ts'
import type { TriggerOptions } from './trigger-options.ts'

/** The result of a trigger: a record for programs, and texts for people. */
export interface TriggerResult {
  record: Record<string, unknown>
  title: string
  facts: [string, string][]
}

export type Trigger = (building: BuildingClient, options: TriggerOptions, context: Context) => Promise<TriggerResult>
