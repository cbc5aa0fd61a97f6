import { problems } from '@storey/contract'
import type { HttpApp } from '@storey/kit/http'
import { auditedRequest, type KeySeen, type Request } from '../../key-events.ts'
import type { UseBuffer } from './use-buffer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Records the use of the key once, with the status of the response; null when no response was sent. */
    recordKeyUse?: ((status: number | null) => void) | undefined
  }
}

/** Records the key use of a request after its response, or when the client disconnects. */
export function noteKeyUse(uses: Pick<UseBuffer, 'add' | 'isFull'>, request: Request, seen: KeySeen): void {
  if (uses.isFull()) throw problems.notReady('The audit log is not available: try again', 1)
  const audited = auditedRequest(request)
  const { socket } = request.raw
  const gone = () => request.recordKeyUse?.(null)
  request.recordKeyUse = (status) => {
    request.recordKeyUse = undefined
    socket.off('close', gone)
    uses.add({ ...seen, ...audited, action: 'key.used', status })
  }
  socket.once('close', gone)
}

export function watchKeyUses(app: HttpApp): void {
  app.addHook('onResponse', async (request, reply) => request.recordKeyUse?.(reply.statusCode))
}
