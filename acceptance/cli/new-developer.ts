import { afterAll, beforeAll } from 'vitest'
import { api, newDeveloper, systemUrl } from '../system/shared.ts'
import { newHome } from './tool.ts'

/** The options of a small building without history. */
export const SMALL = ['--storeys', '1', '--spaces-max', '4', '--seed-telemetry-days', '0']

/** The key of the developer of this suite, and the tool's environment with that key. */
export let key: string
export let env: Record<string, string>

/** Creates a developer before the suite, and removes their sandboxes after it. */
export function useNewDeveloper(): void {
  beforeAll(async () => {
    key = (await newDeveloper()).key
    env = { ...newHome(), SVC_API_TOKEN: key, SVC_SANDBOX_API_URL: systemUrl }
  })
  afterAll(async () => {
    for (const { sandboxId } of await sandboxes()) {
      await api(key, `/api/v1/sandboxes/${sandboxId}`, { method: 'DELETE' })
    }
  })
}

export async function sandboxes(): Promise<{ sandboxId: string; name: string; status: string }[]> {
  return (await api(key, '/api/v1/sandboxes')).json.data
}
