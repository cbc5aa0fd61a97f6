import { connect, createServer } from 'node:net'
import { availableParallelism, totalmem } from 'node:os'
import { silentLog } from '@storey/kit/log'
import { connectionLimits, descriptorLimit } from '../../connection-limits.ts'
import { runningService } from '../../data-folder.ts'
import { getLocal } from '../../get-local.ts'
import type { Settings } from '../../settings.ts'
import { Findings, reasonOf } from './finding.ts'
import { reachable } from './reachable.ts'

const LIMIT_MS = 5_000
const MIN_MEMORY_GB = 2

/**
 * Checks the health of the service if it runs with this data folder. Otherwise checks whether its ports are free.
 * `isLeading`: whether a service holds the leader lock of the database; undefined if this is unknown.
 */
export async function checkService(settings: Settings, isLeading: boolean | undefined): Promise<Findings> {
  const found = new Findings('service')
  const here = runningService(settings.dataDir)
  if (here) {
    found.ok(`the service runs, process ${here.pid}`)
    await checkHealth(settings, found)
    if (settings.mqttEnabled && settings.mqttUrl === undefined) await checkListening(settings, found)
  } else {
    if (isLeading) found.ok('the service runs on another machine, or with another data folder')
    else if (isLeading === false)
      found.warning('the service is not running', 'start it: npm start, or systemctl start storey')
    else
      found.warning(
        'no service runs with this data folder, and it is unknown whether one runs elsewhere',
        'if none does, start it: npm start, or systemctl start storey',
      )
    for (const listener of listenersOf(settings)) await checkFree(listener, found)
  }
  checkMachine(settings, found)
  return found
}

interface Listener {
  port: number
  /** The setting of the port. */
  name: string
  host: string
  /** The setting of the host. */
  hostName: string
}

function listenersOf(settings: Settings): Listener[] {
  const { host, port, metricsHost, metricsPort, mqttEnabled, mqttUrl, mqttPort } = settings
  const metrics = { name: 'METRICS_PORT', port: metricsPort, host: metricsHost, hostName: 'METRICS_HOST' }
  const mqtt = { name: 'MQTT_PORT', port: mqttPort, host, hostName: 'HOST' }
  return [
    { name: 'PORT', port, host, hostName: 'HOST' },
    ...(metricsPort > 0 ? [metrics] : []),
    ...(mqttEnabled && mqttUrl === undefined ? [mqtt] : []),
  ]
}

async function checkHealth({ host, port, publicUrl }: Settings, found: Findings): Promise<void> {
  for (const path of ['/healthz', '/readyz']) {
    try {
      const target = { host: reachable(host), port, path, headers: { host: publicUrl.host } }
      const { status, text } = await getLocal({ ...target, limitMs: LIMIT_MS })
      if (status === 200) found.ok(`${path} at port ${port} answers 200`)
      else
        found.problem(`${path} at port ${port} answers ${status}: ${text.slice(0, 200)}`, 'see the log of the service')
    } catch (err) {
      found.problem(`${path} at port ${port} does not answer: ${reasonOf(err)}`, 'check PORT and HOST, and the log')
    }
  }
}

async function checkListening({ host, mqttPort }: Settings, found: Findings): Promise<void> {
  const isOpen = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: reachable(host), port: mqttPort, timeout: LIMIT_MS }, () => resolve(true))
    socket.on('error', () => resolve(false)).on('close', () => resolve(false))
    // An open connection would keep this process alive, so the socket is destroyed.
    socket.on('timeout', () => socket.destroy()).once('connect', () => socket.destroy())
  })
  if (isOpen) found.ok(`the embedded MQTT broker listens on port ${mqttPort}`)
  else found.problem(`nothing listens on MQTT_PORT ${mqttPort}`, 'see the log of the service')
}

async function checkFree({ name, port, host, hostName }: Listener, found: Findings): Promise<void> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject)
      probe.listen({ port, host }, resolve)
    })
    found.ok(`${name} ${port} is free`)
  } catch (err) {
    const { code } = err as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') found.problem(`another program uses ${name} ${port}`, `stop it, or set ${name}`)
    else found.problem(`${name} ${port} on ${host} cannot be used: ${reasonOf(err)}`, `set ${name} or ${hostName}`)
  } finally {
    await new Promise((resolve) => probe.close(resolve))
  }
}

/**
 * Checks the memory of the machine, and the limit of open files of this process. A service that the same user starts
 * usually has the same limit.
 */
function checkMachine(settings: Settings, found: Findings): void {
  const descriptors = descriptorLimit()
  const { total } = connectionLimits(settings, descriptors, silentLog)
  if (total < settings.maxConnections)
    found.warning(
      `at most ${descriptors} files can be open, so only ${total} of MAX_CONNECTIONS ${settings.maxConnections} are accepted`,
      'raise the limit of open files: ulimit -n, or LimitNOFILE of the systemd unit',
    )
  const memoryGb = totalmem() / 1024 ** 3
  const text = `${availableParallelism()} processors, ${memoryGb.toFixed(1)} GB of memory, Node ${process.versions.node}`
  if (memoryGb < MIN_MEMORY_GB) found.warning(text, `use ${MIN_MEMORY_GB} GB or more, or set MAX_AWAKE_STACKS`)
  else found.ok(text)
}
