import type { BuildingClient } from '@storey/sdk'
import type { Context } from '../../context.ts'
import type { TriggerOptions } from './trigger-options.ts'

/** What happened, for programs and for people. */
export interface Happened {
  record: Record<string, unknown>
  title: string
  facts: [string, string][]
}

export type Trigger = (building: BuildingClient, options: TriggerOptions, context: Context) => Promise<Happened>
