export interface ListenOptions {
  sandbox?: string
  forwardTo?: string
  events?: string
  count?: number
  printSecret?: boolean
}

export interface LogsOptions {
  sandbox?: string
  follow: boolean
}
