import { problems } from '@storey/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'

export const WORK_LIMIT_MS = 60_000

export const tookTooLong = () => problems.outcomeUnknown('The request took too long', 5)

/**
 * Answers 503 if the authorization or the handler of a request does not finish within the limit. The time in which a
 * body arrives or a response is read does not count, because the client may have a slow connection.
 */
export function limitWork(app: FastifyInstance, limitMs = WORK_LIMIT_MS): void {
  const timers = new WeakMap<FastifyReply, NodeJS.Timeout>()
  const stop = (reply: FastifyReply) => clearTimeout(timers.get(reply))
  const start = (reply: FastifyReply) => {
    const giveUp = () => {
      if (!reply.sent && !reply.raw.headersSent) reply.send(tookTooLong())
    }
    timers.set(reply, setTimeout(giveUp, limitMs).unref())
  }
  app.addHook('onRequest', (_request, reply, done) => {
    start(reply)
    reply.raw.once('close', () => stop(reply))
    done()
  })
  app.addHook('preParsing', (_request, reply, _payload, done) => {
    stop(reply)
    done()
  })
  app.addHook('preValidation', ({ routeOptions, mediaType }, reply, done) => {
    // A body of the form `stream` is still arriving. The route reads it itself, with a time limit of its own.
    if (routeOptions.config.body?.types[mediaType ?? ''] !== 'stream') start(reply)
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    stop(reply)
    done(null, payload)
  })
}
