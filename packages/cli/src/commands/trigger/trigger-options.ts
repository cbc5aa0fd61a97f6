export type Happening = 'alarm' | 'value' | 'outage'

export interface TriggerOptions {
  sandbox?: string
  point?: string
  value?: string
  node?: string
  minutes: number
}
