import { problems } from '@storey/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'

const WORK_LIMIT_MS = 60_000

/**
 * Answers for a handler that does not come to an end. The time in which a body arrives or an answer is read is not
 * counted: it is the client's, who may be on a slow line.
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
    // Such a body is still on its way: the route reads it by itself, within a time of its own.
    if (routeOptions.config.body?.types[mediaType ?? ''] !== 'stream') start(reply)
  })
  app.addHook('onSend', async (_, reply) => stop(reply))
}
