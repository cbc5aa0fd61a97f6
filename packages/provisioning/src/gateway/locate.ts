import type { IncomingMessage } from 'node:http'
import { LIVE_TARGET } from '@storey/contract'
import type { Addresses, Host } from '../addresses.ts'

const PATH = /^\/s\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(\/.*)$/s

/** An address of a sandbox on the host of the control plane: `/s/<slug>/…`. */
interface PathAddress {
  slug: string
  /** The request target without `/s/<slug>`, as it is at the sandbox's own address. */
  target: string
}

/** The sandbox and the target of a path address for the API or the live channel; undefined for anything else. */
function readPathAddress(url: string): PathAddress | undefined {
  const [, slug, target] = PATH.exec(url) ?? []
  if (slug === undefined || target === undefined) return undefined
  return target.startsWith('/api/') || LIVE_TARGET.test(target) ? { slug, target } : undefined
}

/** The result for a request to a path address. */
interface SandboxPath {
  kind: 'sandbox'
  slug: string
  isPath: true
}

/**
 * Finds what a request is for. A request for a path address becomes a request for the sandbox's own host, without
 * cookies: a path address has the origin of the control plane, so the cookies belong to the control plane.
 */
export function locate(
  request: IncomingMessage,
  hostHeader: string | undefined,
  { resolveHost, pathUrl, sandboxUrl }: Addresses,
): (Host & { isPath?: false }) | SandboxPath {
  const host = resolveHost(hostHeader)
  const path = host.kind === 'control-plane' ? readPathAddress(request.url ?? '') : undefined
  if (!path || pathUrl(path.slug) === null) return host
  request.url = path.target
  request.headers.host = new URL(sandboxUrl(path.slug)).host
  delete request.headers.cookie
  return { kind: 'sandbox', slug: path.slug, isPath: true }
}

/** Whether a request is for the live channel, at the address of a sandbox or below a path address. */
export const isLiveTarget = ({ url = '' }: Pick<IncomingMessage, 'url'>): boolean =>
  LIVE_TARGET.test(readPathAddress(url)?.target ?? url)

/** Whether a request is an upgrade to a WebSocket of the live channel. */
export const isLiveUpgrade = (request: Pick<IncomingMessage, 'url' | 'headers'>): boolean =>
  isLiveTarget(request) && /^websocket$/i.test(request.headers.upgrade ?? '')

/** At a path address, these headers keep a response of a sandbox from acting as a page of the control plane. */
export const PATH_RESPONSE_HEADERS = [
  ['content-security-policy', "default-src 'none'; sandbox; frame-ancestors 'none'"],
  ['x-content-type-options', 'nosniff'],
] as const
