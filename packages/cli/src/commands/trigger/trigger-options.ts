export type TriggerKind = 'alarm' | 'value' | 'outage'

export interface TriggerOptions {
  sandbox?: string
  point?: string
  value?: string
  node?: string
  minutes: number
}
