import { type IncomingHttpHeaders, request } from 'node:http'

const LIMIT_MS = 5000
const LIMIT_BYTES = 16 * 1024 * 1024

export type GetResult =
  | { state: 'answered'; status: number; headers: IncomingHttpHeaders; text: string }
  | { state: 'refused' }
  | { state: 'no-answer'; reason: string }

/**
 * Sends a GET request as a page of `origin` would. Redirects are not followed, because they can lead to another host.
 */
export function get(url: string, origin?: string): Promise<GetResult> {
  return new Promise((resolve) => {
    const end = (result: GetResult) => {
      clearTimeout(timer)
      resolve(result)
    }
    const call = request(url, { agent: false, headers: origin === undefined ? {} : { origin } }, (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > LIMIT_BYTES) call.destroy(new Error(`the response has more than ${LIMIT_BYTES} bytes`))
        else chunks.push(chunk)
      })
      response.on('error', (error) => end({ state: 'no-answer', reason: error.message }))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        end({ state: 'answered', status: response.statusCode!, headers: response.headers, text })
      })
    })
    const timer = setTimeout(() => call.destroy(new Error(`no answer in ${LIMIT_MS / 1000} seconds`)), LIMIT_MS)
    call.on('error', (error) => {
      end(isRefusal(error) ? { state: 'refused' } : { state: 'no-answer', reason: error.message })
    })
    call.end()
  })
}

/** If localhost has two addresses (IPv4 and IPv6), the error is an AggregateError with one error for each address. */
function isRefusal(error: NodeJS.ErrnoException): boolean {
  if (error instanceof AggregateError) return error.errors.every((each) => isRefusal(each as NodeJS.ErrnoException))
  return error.code === 'ECONNREFUSED'
}

export const isJavaScript = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  /^(text|application)\/(x-)?javascript\b/i.test(headers['content-type'] ?? '')
