import type { Agent } from 'node:http'
import { type Answer, call } from '../../acceptance/system/call.ts'

/** The label that all objects of a sandbox have. */
export const SANDBOX_LABEL = 'storey.dev/sandbox'

export interface Connection {
  apiUrl: string
  buildingId: string
  token: string
}

/** A request that the stack of a sandbox answers from its database. */
export function readPoints({ apiUrl, buildingId, token }: Connection, agent?: Agent): Promise<Answer> {
  return call(`${apiUrl}/api/v1/buildings/${buildingId}/points?limit=1`, { token, ...(agent ? { agent } : {}) })
}
