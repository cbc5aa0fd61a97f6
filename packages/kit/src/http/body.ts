import { problems } from '@storey/contract'
import type { FastifyInstance } from 'fastify'

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * JSON bodies: strict UTF-8, and an empty body is no body, whatever its content type says.
 * JSON.parse makes own properties of names such as __proto__, so they stay data.
 */
export function parseJson(raw: Buffer): unknown {
  if (raw.length === 0) return undefined
  try {
    return JSON.parse(decoder.decode(raw))
  } catch (cause) {
    const reason = cause instanceof TypeError ? 'is not valid UTF-8' : 'is not valid JSON'
    throw problems.validation([{ pointer: '', detail: `the body ${reason}` }])
  }
}

export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJson(body as Buffer))
    } catch (err) {
      done(err as Error)
    }
  })
}
