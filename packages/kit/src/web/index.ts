export { contentSecurityPolicy, type PolicyOrigins } from './policy.ts'
export { openWebApp, openWebFiles, type WebApp, type WebAppContext, type WebFiles } from './web-app.ts'
