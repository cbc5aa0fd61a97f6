import { bearer } from '../credentials/credential.ts'
import { createPlatformClient } from '../platform/client.ts'
import type { Connect } from '../transport/connect.ts'
import type { Platform } from './platform.ts'

/**
 * What a module's test or preview overrides.
 *
 * @experimental
 */
export interface TestPlatformOverrides extends Partial<Platform> {
  /**
   * Responses by method and path, such as `'GET /api/v1/buildings/test-building'`: an object, or a function that
   * returns one.
   */
  answers?: Record<string, unknown>
}

/**
 * A platform for the tests and the preview of a module. It has a user, a building and a token, and its client gets the
 * responses in `answers`, without a network.
 *
 * @experimental
 */
export function testPlatform({ answers = {}, ...overrides }: TestPlatformOverrides = {}): Platform {
  const token = overrides.token ?? 'test-token'
  const buildingId = overrides.buildingId ?? 'test-building'
  const known: Record<string, unknown> = { [`GET /api/v1/buildings/${buildingId}`]: building(buildingId), ...answers }
  const apiUrl = overrides.apiUrl ?? 'http://test.localhost:4000'
  return {
    apiUrl,
    buildingId,
    organizationId: 'org_test',
    moduleSlug: 'test-module',
    user: { id: 'test-user', name: 'Test User', email: 'test@example.com' },
    locale: 'en',
    theme: 'light',
    token,
    getToken: async () => token,
    client: createPlatformClient({ url: apiUrl, credential: bearer(token), fetch: answering(known) }),
    live: undefined,
    ...overrides,
  }
}

const answering =
  (answers: Record<string, unknown>): Connect =>
  async (url, { method }) => {
    const requested = `${method} ${new URL(url).pathname}`
    const answer = answers[requested]
    if (answer !== undefined) return json(200, typeof answer === 'function' ? answer() : answer)
    const detail = `The test has no answer to ${requested}: add one to testPlatform({ answers })`
    return json(404, { type: 'about:blank', title: 'No answer', status: 404, code: 'NOT_FOUND', detail })
  }

const json = (status: number, body: unknown): Response => Response.json(body, { status })

const building = (id: string) => ({
  id,
  name: 'Test building',
  code: 'TEST',
  buildingType: 'office',
  timezone: 'Europe/Berlin',
  organizationId: 'org_test',
  revision: 1,
})
