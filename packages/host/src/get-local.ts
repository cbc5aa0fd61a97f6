import { request } from 'node:http'

export interface LocalRequest {
  host: string
  port: number
  path: string
  headers?: Record<string, string>
  limitMs: number
}

/** Requests something from a program on this machine: never through the proxy of the environment. */
export function getLocal({ limitMs, ...target }: LocalRequest): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(limitMs)
    const fail = (err: Error) =>
      reject(signal.aborted ? new Error(`no answer within ${limitMs / 1000} seconds`, { cause: err }) : err)
    // A proxy applies only to requests of the global agent.
    request({ ...target, agent: false, signal }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode!, text }))
      response.on('error', fail)
    })
      .on('error', fail)
      .end()
  })
}
