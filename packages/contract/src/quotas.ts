import { formatCount } from './format-count.ts'
import { problems } from './problems.ts'

/**
 * The maximum number of each kind of record. Concurrent requests cannot exceed a maximum together. The limits are high
 * enough for ordinary use.
 */
export const QUOTAS = {
  accounts: { limit: 200, of: 'accounts of a sandbox' },
  serviceAccounts: { limit: 100, of: 'service accounts of a sandbox' },
  keysPerDay: { limit: 100, of: 'keys that an organization creates in 24 hours' },
  layers: { limit: 200, of: 'data layers of a building' },
  snapshots: { limit: 1000, of: 'snapshots of a building' },
  openChangesets: { limit: 200, of: 'changesets of a building that are neither applied, reverted nor rejected' },
  changesetSteps: { limit: 1000, of: 'steps of a changeset' },
  faultRules: { limit: 500, of: 'fault rules of a building' },
  simulatedFaults: { limit: 20, of: 'injected faults of a building at a time' },
  importsWaiting: { limit: 5, of: 'imports of a building that wait or run' },
  webhooks: { limit: 200, of: 'webhooks of a sandbox' },
  modules: { limit: 200, of: 'modules of a sandbox' },
  licenses: { limit: 1000, of: 'licences of a sandbox' },
  serviceRequests: { limit: 200_000, of: 'service requests of a sandbox' },
  comments: { limit: 1000, of: 'comments of a service request' },
} as const satisfies Record<string, { limit: number; of: string }>

export type QuotaName = keyof typeof QUOTAS

/** Throws if the limit is reached. Call it under a lock, so that nobody else adds a record meanwhile. */
export function checkQuota(quota: QuotaName, used: number): void {
  const { limit, of } = QUOTAS[quota]
  if (used < limit) return
  throw problems.quotaExceeded(quota, limit, used, `The maximum of ${limit} ${of} is reached`)
}

/** Rows of a table in the API documents, with the name, limit and meaning of each quota. */
export const quotaRows = (names: readonly QuotaName[]): string[][] =>
  names.map((name) => [name, formatCount(QUOTAS[name].limit), QUOTAS[name].of])

/** The sentence before every table of quotas. */
export const QUOTAS_INTRO = 'Above a limit the response is 429 QUOTA_EXCEEDED with quota, limit and used.'
