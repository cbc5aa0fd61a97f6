export { createHttp, type HttpApp, type HttpOptions } from './app.ts'
export { bearerToken } from './bearer.ts'
export { toProblem } from './errors.ts'
export type { CountFor, RequestLimit } from './limit-requests.ts'
