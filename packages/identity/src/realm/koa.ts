import type { Provider } from 'oidc-provider'

/** Types of the provider, which is a Koa application. */
export type Middleware = Parameters<Provider['use']>[0]
export type Context = Parameters<Middleware>[0]
