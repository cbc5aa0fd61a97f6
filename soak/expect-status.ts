import { type Answer, type CallOptions, call } from '../acceptance/system/call.ts'

/** Calls with the token of a sandbox. */
export type Api = (url: string, expected: number, options?: CallOptions) => Promise<Answer>

/** Fails with the answer if its status is not the expected one. */
export const apiWith =
  (token: string): Api =>
  async (url, expected, options = {}) => {
    const answer = await call(url, { token, ...options })
    if (answer.status === expected) return answer
    const method = options.method ?? (options.body === undefined ? 'GET' : 'POST')
    throw new Error(`${method} ${url}: ${answer.status} instead of ${expected}: ${answer.text.slice(0, 500)}`)
  }
