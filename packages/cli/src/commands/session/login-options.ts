export interface LoginOptions {
  browser: boolean
  issuer?: string
}
