export { contentSecurityPolicy, type PolicyOrigins } from './policy.ts'
export { openWebApp, type WebApp, type WebAppContext } from './web-app.ts'
