import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'

const LIMIT_BYTES = 16 * 1024

/** The fields of a form that was posted. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) {
    throw new errors.InvalidRequest('a form was expected')
  }
  if (Number(request.headers['content-length'] ?? 0) > LIMIT_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  // If reading stops early, the connection stays open, because the response is sent on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length
    if (bytes > LIMIT_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

const tooLarge = () => new errors.InvalidRequest('the form is too large')
