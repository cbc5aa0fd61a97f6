import { problems } from '@storey/contract'
import type { HttpApp } from '@storey/kit/http'
import { type KeySeen, type Request, viaOf } from '../../key-events.ts'
import type { UseBuffer } from './use-buffer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Leaves the row of the key's use, once; null when nothing was answered. */
    recordKeyUse?: ((status: number | null) => void) | undefined
  }
}

/** Notes that a request came with a key. Its row is left when the answer is out, or when the client has gone away. */
export function noteKeyUse(uses: Pick<UseBuffer, 'add' | 'isFull'>, request: Request, seen: KeySeen): void {
  if (uses.isFull()) throw problems.notReady('Too much is going on to keep account of it', 1)
  const via = viaOf(request)
  const { socket } = request.raw
  const gone = () => request.recordKeyUse?.(null)
  request.recordKeyUse = (status) => {
    request.recordKeyUse = undefined
    socket.off('close', gone)
    uses.add({ ...seen, ...via, action: 'key.used', status })
  }
  socket.once('close', gone)
}

export function watchKeyUses(app: HttpApp): void {
  app.addHook('onResponse', async (request, reply) => request.recordKeyUse?.(reply.statusCode))
}
