import { exampleModule } from '../../acceptance/browser/template-module.ts'
import { actorsOf } from '../../acceptance/system/actors.ts'
import { type Answer, type CallOptions, call } from '../../acceptance/system/call.ts'
import type { System } from '../../acceptance/system/system.ts'
import { changeBuilding, colourRooms } from './building-work.ts'

export interface Person {
  email: string
  password: string
}

export interface DemoSandbox {
  sandboxId: string
  url: string
  buildingId: string
  /** Calls the platform's or the service desk's API; with a body the method is POST unless another is given. */
  api(path: string, options?: CallOptions): Promise<Answer['json']>
  person: Person
}

export interface Fixture {
  portalUrl: string
  developer: Person
  mall: DemoSandbox
  office: DemoSandbox
  newDemoSandbox(body: object, name: string): Promise<DemoSandbox>
  close(): Promise<void>
}

const WEEK = { seedTelemetryDays: 7 }
const MALL = { name: 'Riverside Mall', buildingType: 'mall', storeys: 3, spacesMin: 30, spacesMax: 50, seed: '7' }
/** Occupied at any hour, so that the pictures do not depend on the time of day. */
const OFFICE = {
  name: 'Harbour Office',
  buildingType: 'office',
  storeys: 6,
  spacesMin: 24,
  spacesMax: 40,
  equipmentDensity: 'dense',
  occupancyProfile: '24x7',
  seed: '11',
}
const SMALL = {
  name: 'Lift firmware tests',
  buildingType: 'office',
  storeys: 2,
  spacesMin: 8,
  spacesMax: 16,
  seed: '3',
}

/** A developer with three sandboxes. The mall has a user and a layer; the office has a user, changes and a module. */
export async function createFixture(system: System): Promise<Fixture> {
  const actors = actorsOf(system)
  const organizationId = await actors.operator('org', 'create', 'Northlight')
  const email = 'mira@northlight.example'
  const [, , , password] = (await actors.operator('account', 'invite', email, '--org', organizationId)).split('\t')
  const key = await actors.operator('key', 'mint', '--org', organizationId, '--scope', 'sandbox')

  async function newDemoSandbox(body: object, name: string): Promise<DemoSandbox> {
    const { record, connection } = await actors.newSandbox(key, body)
    const account = { email: `${name}@example.com`, roles: ['admin', 'manager'] }
    const created = await actors.api(key, `/api/v1/sandboxes/${record.sandboxId}/accounts`, { body: account })
    if (created.status >= 300) throw new Error(created.text)
    const { apiUrl, token, buildingId } = connection
    return {
      sandboxId: record.sandboxId,
      url: apiUrl,
      buildingId,
      person: { email: account.email, password: created.json.oneTimePassword },
      async api(path, options = {}) {
        const answer = await call(`${apiUrl}/api${path.startsWith('/service-desk/') ? '' : '/v1'}${path}`, {
          token,
          ...options,
        })
        if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
        return answer.json
      },
    }
  }

  const mall = await newDemoSandbox({ ...MALL, ...WEEK }, 'ann')
  const office = await newDemoSandbox({ ...OFFICE, ...WEEK }, 'ann.lee')
  await actors.newSandbox(key, { ...SMALL, seedTelemetryDays: 1 })
  await colourRooms(mall)
  await changeBuilding(office)

  const board = await exampleModule('occupancy-board')
  const remote = await board.serve()
  const manifest = { slug: 'occupancy-board', name: 'Occupancy board', version: '0.1.0', sdkVersion: '1.14.0' }
  const remoteEntryUrl = `${remote.origin}/assets/remoteEntry.js`
  await office.api('/registry/modules/ingest', { body: { manifest, remoteEntryUrl } })
  return {
    portalUrl: system.url,
    developer: { email, password: password! },
    mall,
    office,
    newDemoSandbox,
    async close() {
      await remote.close()
    },
  }
}
