import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@storey/kit/clock'
import { silentLog } from '@storey/kit/log'
import { testDatabase } from '@storey/kit/testing'
import { DEMO } from '@storey/provisioning'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDataFolder } from './data-folder.ts'
import { createDemo } from './demo.ts'
import { openRealms, type Realms } from './realms.ts'
import { readSettings } from './settings.ts'

let test: Awaited<ReturnType<typeof testDatabase>>
let realms: Realms
const folders: string[] = []
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
  realms = await openRealms(readSettings({}), {
    control: test.database,
    masterSecret: 'x'.repeat(32),
    clock: systemClock,
    log: silentLog,
  })
})
afterAll(async () => {
  await realms?.identity?.close()
  await test?.drop()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function newFolder() {
  const path = mkdtempSync(join(tmpdir(), 'demo-'))
  folders.push(path)
  return openDataFolder(path)
}

const ensureDemo = async () => ({ ...DEMO, id: 'acc_demo', organizationId: 'org_demo' })
const plane = { organizations: { ensureDemo } } as unknown as Parameters<ReturnType<typeof createDemo>['open']>[0]

describe('the demo developer', () => {
  it('[HST-52, HST-66] is shown with a password and a hint only if the data folder has the password', async () => {
    const [first, second] = [newFolder(), newFolder()]
    const demo = createDemo(first)
    const { password } = (await demo.open(plane, realms))!
    expect(password).toBe(first.demoPassword())
    expect(demo.hint()?.passwordFile).toContain('demo-password')

    // A standby with another data folder takes over.
    const standby = createDemo(second)
    expect(await standby.open(plane, realms)).toEqual({ email: DEMO.email, password: undefined })
    expect(standby.hint()).toBeUndefined()
    expect(second.hasDemoPassword()).toBe(false)

    const again = createDemo(first)
    expect((await again.open(plane, realms))!.password).toBe(password)
  })
})
