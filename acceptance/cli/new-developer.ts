import { afterAll, beforeAll } from 'vitest'
import { api, newDeveloper, systemUrl } from '../system/shared.ts'
import { newHome } from './tool.ts'

/** The options of the smallest building. */
export const SMALL = ['--storeys', '1', '--spaces-max', '4', '--seed-telemetry-days', '0']

const home = newHome()
/** The key of a developer that is created before each suite, and the tool's environment with that key. */
export let key: string
export let env: Record<string, string>

beforeAll(async () => {
  key = (await newDeveloper()).key
  env = { ...home, SVC_API_TOKEN: key, SVC_SANDBOX_API_URL: systemUrl }
})
afterAll(async () => {
  for (const { sandboxId } of await sandboxes()) await api(key, `/api/v1/sandboxes/${sandboxId}`, { method: 'DELETE' })
})

export async function sandboxes(): Promise<{ sandboxId: string; name: string; status: string }[]> {
  return (await api(key, '/api/v1/sandboxes')).json.data
}
