export { type Authenticate, type Believed, createAuthentication } from './authentication.ts'
export { createAuthorization } from './authorization.ts'
export { createPlatformHttp } from './http.ts'
export { createRevocations, type Revocations } from './revocations.ts'
