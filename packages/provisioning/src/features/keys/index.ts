export { createAuthenticate } from './authenticate.ts'
export { keyRoutes } from './keys.routes.ts'
export { markKeysUsed } from './keys.store.ts'
export type { KeyDeps } from './mint-key.ts'
