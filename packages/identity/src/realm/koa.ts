import type { Provider } from 'oidc-provider'

/** The provider is a Koa application; its types tell what its parts are. */
export type Middleware = Parameters<Provider['use']>[0]
export type Context = Parameters<Middleware>[0]
