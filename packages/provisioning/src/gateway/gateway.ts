import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIVE_TARGET, problems } from '@storey/contract'
import type { ClientAddresses } from '@storey/kit/client-address'
import { newRequestId, toProblem } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import type { Addresses } from '../addresses.ts'
import type { SandboxRow } from '../features/sandboxes/sandboxes.store.ts'
import type { StackPool } from '../stacks/stack-pool.ts'
import { answerClientErrors, endWithProblem, problemAnswer } from './client-errors.ts'
import type { Doors } from './doors.ts'
import { endWhenRead } from './end-when-read.ts'
import { forward, forwardUpgrade, rawUpgrade, StackGone, StackSilent } from './forward.ts'
import { hostOf } from './target.ts'
import type { WebApps } from './web-apps.ts'

export interface GatewayOptions {
  addresses: Addresses
  clientAddresses: ClientAddresses
  doors: Doors
  stacks: StackPool
  controlPlane(request: IncomingMessage, response: ServerResponse): void
  /** Absent: there are no pages. */
  web?: WebApps | undefined
  log: Log
  /** How long a stack may take to begin its answer. */
  silenceLimitMs?: number
}

/** A stack gives up on a request after a minute by itself; one that says nothing for longer hangs. */
export const SILENCE_LIMIT_MS = 65_000

const END_LIMIT_MS = 1_000

/** The one door of the house: the host name says whose request it is. A host that nobody has gets 404 for anything. */
export function createGateway(options: GatewayOptions): Server {
  const { addresses, doors, stacks, controlPlane, web, log, silenceLimitMs = SILENCE_LIMIT_MS } = options
  const { clientAddress } = options.clientAddresses
  const scheme = new URL(addresses.publicUrl).protocol.slice(0, -1)

  async function sandboxBehind(slug: string): Promise<SandboxRow> {
    const row = await doors.find(slug)
    if (!row) throw problems.notFound('host')
    return row
  }

  function refuseUnready({ status }: SandboxRow): void {
    if (status === 'provisioning') throw problems.notReady('The sandbox is being provisioned', 2)
    if (status === 'failed') throw problems.notReady('The sandbox could not be made: reset or delete it', 60)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = newRequestId()
    try {
      const host = addresses.resolveHost(hostOf(request))
      if (host.kind === 'control-plane') {
        if (!web?.portal(request, response)) controlPlane(request, response)
        return
      }
      if (host.kind === 'unknown') throw problems.notFound('host')
      const sandbox = await sandboxBehind(host.slug)
      if (web?.shell(request, response, sandbox)) return
      if (sandbox.status !== 'ready' && request.url === '/healthz') return answerAlive(response, requestId)
      refuseUnready(sandbox)
      await pass(sandbox.id, request, response, requestId)
    } catch (err) {
      const problem = toProblem(err)
      if (problem.code === 'INTERNAL') log.error({ err, requestId }, 'a request could not be passed on')
      if (response.headersSent || response.destroyed) return void response.destroy()
      const { body, headers } = problemAnswer(problem, requestId)
      response.writeHead(problem.status, headers).write(body)
      await endWhenRead(request, response)
    }
  }

  /** A read whose stack ended under it is put once more, to the stack that is started in its place. */
  async function pass(
    sandboxId: string,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
  ): Promise<void> {
    for (let again = mayRepeat(request); ; again = false) {
      const { stack, release } = await stacks.use(sandboxId)
      response.once('close', release)
      try {
        return await forward(request, response, {
          stack,
          requestId,
          scheme,
          silenceLimitMs,
          clientAddress: clientAddress(request),
        })
      } catch (err) {
        release()
        if (err instanceof StackGone && again) {
          // Its connections break a moment before the end of the process is known.
          await Promise.race([stack.ended, sleep(END_LIMIT_MS)])
          continue
        }
        if (err instanceof StackSilent) restart(sandboxId)
        if (err instanceof StackGone) throw problems.notReady('The sandbox ended while it was answering', 1)
        throw err instanceof StackSilent
          ? problems.notReady('The sandbox does not answer, and is started again', 10)
          : err
      }
    }
  }

  function restart(sandboxId: string): void {
    log.error({ sandboxId }, 'a stack does not answer, and is ended')
    stacks.stop(sandboxId).catch((err) => log.error({ err, sandboxId }, 'a silent stack did not stop'))
  }

  async function upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const requestId = newRequestId()
    socket.on('error', () => socket.destroy())
    try {
      const host = addresses.resolveHost(hostOf(request))
      if (host.kind !== 'sandbox') throw problems.notFound('host')
      const sandbox = await sandboxBehind(host.slug)
      refuseUnready(sandbox)
      const { stack, release } = await stacks.use(sandbox.id)
      const passage = { stack, requestId, scheme, silenceLimitMs, clientAddress: clientAddress(request) }
      try {
        if (socket.destroyed) return
        if (stack.handOver) await stack.handOver(socket, rawUpgrade(request, socket, head, passage))
        else await forwardUpgrade(request, socket, head, passage)
      } finally {
        release()
      }
    } catch (err) {
      endWithProblem(socket, toProblem(err), requestId)
    }
  }

  const server = createServer({
    requestTimeout: 300_000,
    headersTimeout: 30_000,
    keepAliveTimeout: 65_000,
    // Checked with the others, so that the refusal has the same form.
    requireHostHeader: false,
    // Any other offer (such as h2c) may be passed over; the request behind it is answered as it is.
    shouldUpgradeCallback: ({ url = '', headers }) =>
      LIVE_TARGET.test(url) && /^websocket$/i.test(headers.upgrade ?? ''),
  })
  server.on('request', (request, response) => void answer(request, response))
  server.on('upgrade', (request, socket, head) => void upgrade(request, socket as Socket, head))
  answerClientErrors(server)
  return server
}

const mayRepeat = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['transfer-encoding'] === undefined &&
  (headers['content-length'] ?? '0') === '0'

function answerAlive(response: ServerResponse, requestId: string): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId })
  response.end(JSON.stringify({ status: 'ok' }))
}
