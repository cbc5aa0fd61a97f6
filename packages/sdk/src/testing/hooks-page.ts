/** A page that shows a module as the shell does. The module shows JSON, which the test reads. */
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { bearer, connectLive, createPlatformClient } from '../index.ts'
import {
  type Platform,
  PlatformProvider,
  useBuilding,
  useLastValues,
  useLiveEvent,
  useLiveValues,
  usePlatform,
  useToken,
} from '../module/index.ts'

const page = globalThis as unknown as {
  location: { origin: string }
  document: { body: Parameters<typeof createRoot>[0] }
  seen: { renders: number; events: number }
}
page.seen = { renders: 0, events: 0 }

function TestModule() {
  const { live } = usePlatform()
  const building = useBuilding()
  const values = useLiveValues(['air', 'door'])
  const first = useLastValues(['air'])
  useLiveEvent('building.point.updated', () => {
    page.seen.events += 1
  })
  page.seen.renders += 1
  const shown = {
    token: useToken(),
    building: building.data?.name,
    values: Object.fromEntries([...(values.data ?? [])].map(([id, { value }]) => [id, value])),
    first: first.data?.get('air')?.value,
    status: live?.status,
    error: (building.error ?? values.error)?.message,
  }
  return createElement('pre', null, JSON.stringify(shown))
}

const apiUrl = page.location.origin
const credential = bearer('token-1')
const value: Platform = {
  apiUrl,
  buildingId: 'building-1',
  organizationId: 'org_test',
  moduleSlug: 'test-module',
  user: { id: 'u', name: 'User' },
  locale: 'en',
  theme: 'light',
  token: 'token-1',
  getToken: () => credential.token(),
  client: createPlatformClient({ url: apiUrl, credential }),
  live: connectLive({ url: apiUrl, credential, buildingId: 'building-1' }),
}
createRoot(page.document.body).render(createElement(PlatformProvider, { value }, createElement(TestModule)))
