export interface ApiOptions {
  sandbox?: string
  method?: string
  rawField?: string[]
  field?: string[]
  input?: string
  header?: string[]
  all?: boolean
  jq?: string
}
