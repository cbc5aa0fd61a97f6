import { problems } from '@storey/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'

const WORK_LIMIT_MS = 60_000

/**
 * Answers 503 for a handler that does not finish. The time in which a body arrives or a response is read does not count,
 * because the client may have a slow connection.
 */
export function limitWork(app: FastifyInstance, limitMs = WORK_LIMIT_MS): void {
  const timers = new WeakMap<FastifyReply, NodeJS.Timeout>()
  const stop = (reply: FastifyReply) => clearTimeout(timers.get(reply))
  const start = (reply: FastifyReply) => {
    const giveUp = () => {
      if (!reply.sent && !reply.raw.headersSent) reply.send(problems.notReady('The request took too long', 5))
    }
    timers.set(reply, setTimeout(giveUp, limitMs).unref())
  }
  app.addHook('onRequest', async (_, reply) => {
    start(reply)
    reply.raw.once('close', () => stop(reply))
  })
  app.addHook('preParsing', async (_, reply) => stop(reply))
  app.addHook('preValidation', async ({ routeOptions, mediaType }, reply) => {
    // Such a body is still arriving: the route reads it itself, with its own time limit.
    if (routeOptions.config.body?.types[mediaType ?? ''] !== 'stream') start(reply)
  })
  app.addHook('onSend', async (_, reply) => stop(reply))
}
