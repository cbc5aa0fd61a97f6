import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { LIVE_ROUTE, problems } from '@storey/contract'
import type { ClientAddresses } from '@storey/kit/client-address'
import {
  CLIENT_CLOSED,
  endObserved,
  type HttpObserver,
  newRequestId,
  observeUpgrade,
  toProblem,
} from '@storey/kit/http'
import { unreadOf } from '@storey/kit/unread'
import type { Addresses } from '../addresses.ts'
import type { SandboxRow } from '../features/sandboxes/index.ts'
import type { StackPool } from '../stacks/index.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { CredentialCheck } from './credential-check.ts'
import { StackTimeout } from './forward.ts'
import type { ProxiedClientLimit } from './limit-proxied-clients.ts'
import { locate } from './locate.ts'
import { problemText } from './problem-answer.ts'
import { readUpgradeHead } from './read-head.ts'
import { refuseUnready } from './refuse-unready.ts'
import type { SandboxCache } from './sandbox-cache.ts'
import { NO_RESPONSE, STACK_STOPPED, UNAUTHENTICATED_LIMIT_MS } from './stack-answers.ts'
import { forwardUpgrade, rawUpgrade, type UpgradeOptions } from './upgrade.ts'

export interface LiveUpgradeOptions {
  addresses: Addresses
  clientAddresses: ClientAddresses
  sandboxCache: SandboxCache
  stacks: StackPool
  checkCredential: CredentialCheck
  observers: readonly HttpObserver[]
  connections: Connections
  proxiedClients: ProxiedClientLimit
  /** How long a stack may take to start its response. */
  responseTimeoutMs: number
  /** The scheme of the public address. */
  scheme: string
  /** The group of addresses that counts as one client. */
  groupOf(request: IncomingMessage): string
}

export const UPGRADE_BEHIND = {
  pointer: '/upgrade',
  in: 'header' as const,
  detail: 'an upgrade must not be sent before the responses to all earlier requests are read',
}

/** Passes the connections of live clients to their stacks. */
export function createLiveUpgrades(options: LiveUpgradeOptions) {
  const { addresses, sandboxCache, stacks, observers, connections, proxiedClients } = options
  const { responseTimeoutMs, scheme, groupOf } = options
  const { clientAddress } = options.clientAddresses

  /**
   * Live connections that this process forwards. They are closed with the gateway, and their clients connect again, to
   * another control plane if there is one.
   */
  const forwarded = new Set<Socket>()

  async function sandboxBehind(slug: string): Promise<SandboxRow> {
    const row = await sandboxCache.find(slug)
    if (!row) throw problems.notFound('host')
    return row
  }

  /**
   * Forwards a live connection until it ends. Once it has lasted long enough to show that its client has signed in, it
   * counts as a caller's.
   */
  async function forwardLive(
    request: IncomingMessage,
    connection: Connection,
    head: Buffer,
    forwardOptions: UpgradeOptions,
  ): Promise<void> {
    const { socket } = connection
    let timer: NodeJS.Timeout | undefined
    const onUpgraded = () => {
      timer = setTimeout(() => connections.keepAsCaller(connection), UNAUTHENTICATED_LIMIT_MS).unref()
    }
    forwarded.add(socket)
    try {
      await forwardUpgrade(request, socket, head, { ...forwardOptions, onUpgraded })
    } finally {
      clearTimeout(timer)
      forwarded.delete(socket)
    }
  }

  async function upgrade(request: IncomingMessage, connection: Connection, head: Buffer): Promise<void> {
    const { socket } = connection
    const requestId = newRequestId()
    const observed = observeUpgrade(observers, request, { part: 'stack', clientAddress: clientAddress(request) })
    observed.requestId = requestId
    observed.route = LIVE_ROUTE
    const sentBefore = socket.bytesWritten
    socket.on('error', () => socket.destroy())
    try {
      proxiedClients.take(request, socket)
      // The stack that gets the connection does not count the bytes that the gateway sent before, so the client must
      // have read all of them.
      if (socket.bytesWritten > 0 && (await unreadOf(socket)) > 0) throw problems.validation([UPGRADE_BEHIND])
      const place = locate(request, readUpgradeHead(request).host, addresses)
      if (place.kind !== 'sandbox') throw problems.notFound('host')
      const sandbox = await sandboxBehind(place.slug)
      observed.sandboxId = sandbox.id
      refuseUnready(sandbox)
      // The client of a live connection signs in at the stack. Here only a valid token in the header, or the duration
      // of the connection, shows that the client is a caller.
      let isVerified = false
      const verified = options.checkCredential(sandbox, request.headers.authorization)
      void verified.then((isValid) => {
        isVerified = isValid
        if (isValid) connections.keepAsCaller(connection)
      })
      const { stack, release } = await stacks.use(sandbox, {
        isFromCaller: (lastedMs) => isVerified || lastedMs > UNAUTHENTICATED_LIMIT_MS,
        client: groupOf(request),
        verify: () => verified,
      })
      try {
        // The client may have disconnected while the stack started.
        if (socket.destroyed) return
        const forwardOptions = { stack, requestId, scheme, responseTimeoutMs, clientAddress: clientAddress(request) }
        observed.status = 101
        if (stack.transferConnection)
          await stack.transferConnection(socket, rawUpgrade(request, socket, head, forwardOptions))
        else
          await forwardLive(request, connection, head, forwardOptions).catch((err) => {
            if (!(err instanceof StackTimeout)) throw problems.notReady(STACK_STOPPED, 1)
            stacks.stopUnresponsive(sandbox.id, stack, err.address)
            throw problems.notReady(NO_RESPONSE, 10)
          })
      } finally {
        release()
      }
    } catch (err) {
      const problem = toProblem(err)
      if (socket.bytesWritten === sentBefore) observed.status = problem.status
      connection.finish(problemText(problem, requestId))
    } finally {
      observed.isAborted = observed.status === 0
      observed.status ||= CLIENT_CLOSED
      endObserved(observers, observed, socket.bytesWritten - sentBefore)
    }
  }

  return {
    upgrade,
    /** Closes the connections that this process forwards. */
    close(): void {
      for (const socket of forwarded) socket.destroy()
    },
  }
}
