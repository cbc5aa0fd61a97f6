import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { readRuns } from '@storey/kit/background'
import { limitNewConnections } from '@storey/kit/client-address'
import { createLastKnown } from '@storey/kit/last-known'
import type { Log } from '@storey/kit/log'
import type { ControlPlane } from '@storey/provisioning'
import { isLoopback } from '../is-loopback.ts'
import { listen } from '../port.ts'
import type { Settings } from '../settings.ts'
import type { Metrics } from './create-metrics.ts'
import type { Readings } from './metric.ts'
import { tlsAddresses, watchCertificates } from './watch-certificates.ts'
import { watchNats } from './watch-nats.ts'

/** The limit of new connections per address. Even on loopback, any user of the machine can connect. */
const NEW_CONNECTIONS = { burst: 100, perSecond: 50 }
/** How long a scrape waits for the disk: a network disk can hang. */
const DISK_LIMIT_MS = 1_000

export interface MetricsParts {
  metrics: Metrics
  controlPlane: Pick<ControlPlane, 'counts' | 'server'>
  settings: Pick<
    Settings,
    'metricsPort' | 'metricsHost' | 'dataDir' | 'publicUrl' | 'baseDomain' | 'mqttPublicUrl' | 'natsUrls'
  >
  accessLogDropped(): number
  log: Log
}

/**
 * Serves Prometheus metrics on a separate port, never on the public one, and by default on loopback only. Port 0 turns
 * the metrics off.
 */
export async function serveMetrics(parts: MetricsParts): Promise<{ close(): Promise<void> }> {
  const { metrics, controlPlane, settings, log } = parts
  if (settings.metricsPort === 0) return { close: async () => undefined }
  const certificates = watchCertificates(tlsAddresses(settings), log)
  const nats = watchNats(settings.natsUrls, log)
  const isLocal = isLoopback(settings.metricsHost)
  const readDisk = createLastKnown(() => diskOf(settings.dataDir), DISK_LIMIT_MS)

  async function read(): Promise<Omit<Readings, 'labelledStacks'>> {
    const [counts, disk, connections] = await Promise.all([
      controlPlane.counts(),
      readDisk(),
      connectionsOf(controlPlane.server),
    ])
    return {
      ...counts,
      nowMs: Date.now(),
      ownLoops: readRuns(),
      disk: disk.value,
      certificates: certificates.read(),
      natsServers: nats.read(),
      connections,
      accessLogDropped: parts.accessLogDropped(),
    }
  }

  const responses = new Set<ServerResponse>()
  const server: Server = createServer(async (request, response) => {
    responses.add(response)
    response.once('close', () => responses.delete(response))
    if (isLocal && !isLoopback(nameIn(request.headers.host))) return void response.writeHead(403).end(OTHER_HOST)
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
    try {
      const text = await metrics.text(await read())
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
    } catch (err) {
      log.error({ err }, 'metrics failed')
      response.writeHead(503).end()
    }
  })
  limitNewConnections(server, NEW_CONNECTIONS)
  await listen(server, settings.metricsPort, settings.metricsHost, 'METRICS_PORT')
  if (certificates.read().length > 0) certificates.loop.start()
  if (settings.natsUrls.length > 0) nats.loop.start()
  return {
    async close() {
      await Promise.all([certificates.loop.stop(), nats.loop.stop()])
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.all([...responses].map((response) => once(response, 'close')))
      // A connection that has sent only a part of a request does not count as idle, and would keep the server open.
      server.closeAllConnections()
      await closed
    },
  }
}

/**
 * If metrics are served on loopback, the Host header of a request must name loopback too: a web page in a browser of
 * this machine can make its own host name resolve to loopback, but cannot send another Host header.
 */
const OTHER_HOST = 'The Host header must be localhost or a loopback address\n'

/** The name or address in a Host header, without brackets and port. */
const nameIn = (header = ''): string => header.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')

async function diskOf(folder: string): Promise<{ freeBytes: number; sizeBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}

const connectionsOf = (server: ControlPlane['server']) =>
  new Promise<number>((resolve) => server.getConnections((err, count) => resolve(err ? 0 : count)))
