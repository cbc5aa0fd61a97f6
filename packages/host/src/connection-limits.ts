import type { Log } from '@storey/kit/log'
import type { ConnectionLimits } from '@storey/provisioning'
import type { Settings } from './settings.ts'

/**
 * The share of the file descriptors that client connections may use. Connections to stacks may use another share of
 * this size, and the rest is for databases, stack processes, brokers and files.
 */
const SHARE_OF_DESCRIPTORS = 0.3

/**
 * The configured limits, or lower limits when the open file limit of this process is low. An address gets at most a
 * quarter of the total.
 */
export function connectionLimits(settings: Settings, descriptors: number, log: Log): ConnectionLimits {
  const { maxConnections, maxConnectionsPerAddress } = settings
  const total = Math.min(maxConnections, Math.floor(descriptors * SHARE_OF_DESCRIPTORS))
  if (total < maxConnections) {
    log.warn({ maxConnections, descriptors, total }, 'open file limit is low, accepting fewer connections')
  }
  return { total, perAddress: Math.min(maxConnectionsPerAddress, Math.ceil(total / 4)) }
}

/** The open file limit of this process; infinite when the system reports none. */
export function descriptorLimit(): number {
  Object.assign(process.report, { excludeNetwork: true, excludeEnv: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const soft = Number(userLimits?.open_files?.soft)
  return Number.isFinite(soft) ? soft : Number.POSITIVE_INFINITY
}
