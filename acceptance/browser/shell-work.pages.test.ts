import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, signIn, type Visit, type VisitOptions } from './browser.ts'
import { onPage, useConsole } from './console.ts'

const { connection, visit, visitAs, newAccount, send, sendTo } = useConsole({ storeys: 2, spacesMin: 8, spacesMax: 10 })
let manager: Visit
let page: Page
const { heading, button, inDialog, go } = onPage(() => page)
let rooms: { id: string; name: string; code: string }[]

const room = (n: number) => rooms[n]!
const nameOf = async (n: number) => (await send(`/spaces/${room(n).id}`)).name

async function submitted(title: string, n: number, name: string): Promise<string> {
  const operations = [{ op: 'update', kind: 'space', id: room(n).id, data: { name } }]
  const { id } = await send('/changesets', { title, operations })
  await send(`/changesets/${id}/submit`, { comment: 'Ready' })
  return id
}

async function reviewAs(name: string, role = 'manager', options: VisitOptions = {}): Promise<Visit> {
  const opened = await visitAs({ email: `${name}@example.com`, role, path: '/changesets', ...options })
  await opened.page.getByRole('heading', { level: 1, name: 'Changesets' }).waitFor()
  return opened
}
/** Continues as another manager, because one account may send only a hundred requests a minute. */
async function continueAs(name: string): Promise<void> {
  manager.expectNoErrors()
  await manager.close()
  manager = await reviewAs(name)
  page = manager.page
}
/** Checks that the browser logged only refused requests as errors, and clears the list. */
const expectRefusalsOnly = () => {
  expect(manager.errors.filter((text) => !/409 \(Conflict\)|412 \(Precondition Failed\)/.test(text))).toEqual([])
  manager.errors.length = 0
}
/** Delays reads of a record, as on a slow network, so that the page does not yet know what somebody else changed. */
async function holdReads(path: string): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`**${path}*`, async (route) => {
    if (route.request().method() === 'GET') await released
    await route.continue()
  })
  return release
}

beforeAll(async () => {
  rooms = (await send('/spaces?limit=100')).data
  manager = await reviewAs('boris')
  page = manager.page
})

describe('changesets', () => {
  it('are reviewed, applied and reverted by someone other than the author', async () => {
    const was = await nameOf(0)
    await submitted('Name the first room', 0, 'Library')
    await page.reload()
    await page.getByRole('link', { name: 'Name the first room' }).click()
    await heading('Name the first room').waitFor()
    await page.getByRole('option', { name: new RegExp(`${was}.*Changed`) }).waitFor()
    const row = page.getByRole('row', { name: /Changed Library/ })
    expect(await row.textContent()).toContain(`${was}→Library`)
    await expectAccessible(page)

    await page.getByLabel('Comment (optional)').fill('Good name')
    await button('Approve').click()
    await button('Apply').click()
    await page.getByText('boris@example.com applied it').waitFor()
    expect(await nameOf(0)).toBe('Library')
    await page.getByText('Good name').waitFor()
    // A step that cannot be undone asks for confirmation first.
    await button('Revert').click()
    await page
      .getByRole('dialog', { name: 'Revert “Name the first room”?' })
      .getByRole('button', { name: 'Go back' })
      .click()
    expect(await nameOf(0)).toBe('Library')
    await button('Revert').click()
    await inDialog('Revert').click()
    await page.getByText('This changeset is closed.').waitFor()
    expect(await nameOf(0)).toBe(was)
  })

  it('show the nodes that somebody else changed, and cannot be applied while these conflict', async () => {
    const id = await submitted('A name that comes too late', 1, 'Atelier')
    await send(`/changesets/${id}/review`, { decision: 'approve' })
    await page.goto(`${connection.apiUrl}/changesets/${id}`)
    await button('Apply').waitFor()
    const release = await holdReads(`/changesets/${id}`)
    await send(`/spaces/${room(1).id}`, { name: 'Workshop' }, 'PATCH')
    const refused = page.waitForResponse((answer) => answer.url().endsWith(`/changesets/${id}/apply`))
    manager.expectNoErrors()
    await button('Apply').click()
    expect((await refused).status()).toBe(409)
    release()
    const alert = page.getByRole('alert').filter({ hasText: '1 conflict' })
    await alert.getByRole('link').waitFor()
    // A page that is opened later shows the conflict before the user tries to apply the changeset.
    await page.reload()
    await alert.getByRole('link').waitFor()
    expect(await button('Apply').isDisabled()).toBe(true)
    expect(await nameOf(1)).toBe('Workshop')
    expectRefusalsOnly()
  })

  it('continue from the state that somebody else set, and keep the text that was typed', async () => {
    const id = await submitted('A step that two people take', 6, 'Foyer')
    await page.goto(`${connection.apiUrl}/changesets/${id}`)
    const comment = page.getByLabel('Comment (optional)')
    await comment.fill('I have looked at it')
    const release = await holdReads(`/changesets/${id}`)
    await send(`/changesets/${id}/review`, { decision: 'approve' })
    manager.expectNoErrors()
    const refused = page.waitForResponse((answer) => answer.url().endsWith(`/changesets/${id}/review`))
    await button('Approve').click()
    await refused
    release()
    await page.getByRole('alert').filter({ hasText: 'Somebody else changed this' }).waitFor()
    await button('Apply').waitFor()
    expect(await button('Approve').count()).toBe(0)
    expect(await comment.inputValue()).toBe('I have looked at it')
    await expectAccessible(page)
    expectRefusalsOnly()
    await button('Apply').click()
    await page.getByText('boris@example.com applied it').waitFor()
    await page.getByText('I have looked at it').waitFor()
    expect(await comment.inputValue()).toBe('')
  })

  it('are drafted for a room, and must be reviewed by somebody else', async () => {
    await continueAs('dora')
    await page.goto(`${connection.apiUrl}/changesets/new?space=${room(2).id}`)
    await page.getByLabel('Name', { exact: true }).fill('Quiet room')
    await button('Save draft').click()
    await heading(/^Change /).waitFor()
    await page.getByRole('link', { name: 'Edit draft' }).click()
    await heading('Edit draft').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Quiet room')
    await page.getByLabel('Status').selectOption('vacant')
    await page.getByLabel('Title').fill('A room to be quiet in')
    await expectAccessible(page)
    await button('Save and submit').click()
    await heading('A room to be quiet in').waitFor()
    const { data } = await send('/changesets?state=submitted')
    const { operations } = await send(`/changesets/${data[0].id}`)
    expect(operations).toEqual([
      { op: 'update', kind: 'space', id: room(2).id, data: { name: 'Quiet room', status: 'vacant' } },
    ])
    await page.getByText('You created or edited this changeset, so somebody else must review it.').waitFor()
    expect(await button('Approve').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Edit draft' }).count()).toBe(0)
  })

  it('explain to an administrator how to add a person who reviews them', async () => {
    const admin = await reviewAs('anton', 'admin')
    await admin.page.goto(`${connection.apiUrl}/changesets/new?space=${room(3).id}`)
    await admin.page.getByLabel('Name', { exact: true }).fill('Archive')
    await admin.page.getByRole('button', { name: 'Save and submit' }).click()
    const notice = admin.page.getByText('If there is nobody else, add a person with the role “manager”')
    await notice.getByRole('link', { name: 'People' }).click()
    await admin.page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
    admin.expectNoErrors()
    await admin.close()
  })
})

describe('history', () => {
  it('lists the revisions, and compares with a snapshot', async () => {
    await continueAs('hana')
    await go('History')
    await button('Create snapshot').click()
    await page.getByLabel('Name', { exact: true }).fill('2026')
    await button('Save').click()
    await page.getByText('The name must not be a number, a date or an ID').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Handover')
    await button('Save').click()
    await page.getByText('Snapshot “Handover” created').waitFor()

    await send(`/spaces/${room(3).id}`, { name: 'Music room' }, 'PATCH')
    await page.goto(`${connection.apiUrl}/history?at=9999`)
    await page.getByRole('heading', { name: 'Revision “9999” not found' }).waitFor()
    await button('Show newest revision').click()
    await page.getByRole('row', { name: /Changed Music room/ }).waitFor()
    await page.getByRole('option', { name: /Music room.*Changed/ }).waitFor()
    await page.getByText(`Changed: room Music room · ${room(3).code} (Name)`, { exact: true }).waitFor()
    await expectAccessible(page)

    const slider = page.getByRole('slider', { name: 'Revision' })
    const last = Number(await slider.inputValue())
    await slider.press('ArrowLeft')
    await page.getByRole('row', { name: /Changed Foyer/ }).waitFor()
    expect(Number(await slider.inputValue())).toBe(last - 1)
    // The plan shows the room with its old name.
    await page.getByRole('option', { name: new RegExp(room(3).name) }).waitFor()
    await slider.press('ArrowRight')
    await page.getByLabel('Compare with').selectOption('Handover')
    await page.getByRole('row', { name: /Changed Music room/ }).waitFor()
    expect(await page.getByRole('row', { name: /Changed/ }).count()).toBe(1)
  })

  it('compares with the current revision of a snapshot that is created again under the same name', async () => {
    const { id } = (await send('/snapshots')).data.find(({ name }: { name: string }) => name === 'Handover')
    await send(`/snapshots/${id}`, undefined, 'DELETE')
    await send('/snapshots', { name: 'Handover' })
    await page.getByText('Both revisions are identical').waitFor()
  })
})

describe('faults', () => {
  it('appear live, are acknowledged, and move to the resolved faults when they end', async () => {
    await continueAs('vera')
    const [point] = (await send('/points?pointType=SENSOR&limit=1')).data
    const rule = { kind: 'threshold', name: 'Out of reach', severity: 'critical', pointId: point.id, above: 1e6 }
    await send('/fault-rules', rule)
    await go('Faults')
    await page.getByText('Live', { exact: true }).waitFor()
    const observation = { pointId: point.id, value: '2000000', timestamp: new Date().toISOString() }
    await send('/telemetry/observations', { observations: [observation] })
    const row = page.getByRole('row', { name: /Critical/ })
    await row.getByText('Rule: Out of reach').waitFor()
    await row.getByRole('button', { name: /Acknowledge/ }).click()
    await row.getByText('by vera@example.com').waitFor()
    await expectAccessible(page)
    const { data } = await send('/faults?severity=critical')
    expect(data[0]).toMatchObject({ state: 'acknowledged', acknowledgedBy: 'vera@example.com' })

    const normal = { pointId: point.id, value: '20', timestamp: new Date().toISOString() }
    await send('/telemetry/observations', { observations: [normal] })
    await row.waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'Resolved' }).click()
    const past = page.getByRole('row', { name: /Critical.*Rule: Out of reach.*Resolved ?resolved/ })
    await past.getByText('acknowledged by vera@example.com').waitFor()
  })
})

describe('requests', () => {
  it('are created for a room, found, commented on and moved to another state', async () => {
    await continueAs('rita')
    await page.goto(`${connection.apiUrl}/requests/new?space=${room(4).id}`)
    await button('Create request').click()
    await page.getByText('Enter what is wrong').waitFor()
    await page.getByLabel('What is wrong?').fill('The tap drips')
    await page.getByLabel('Category').selectOption('plumbing')
    await page.getByRole('radio', { name: 'High' }).check({ force: true })
    await expectAccessible(page)
    await button('Create request').click()
    await heading('The tap drips').waitFor()
    await page.getByRole('link', { name: room(4).name }).waitFor()

    await page.getByLabel('Comment', { exact: true }).fill('Since Monday')
    await button('Add comment').click()
    await page.getByRole('listitem').filter({ hasText: 'Since Monday' }).waitFor()
    expect(await button('Resolve').count()).toBe(0)
    await button('Edit').click()
    await page.getByLabel('Subject').fill('The tap drips all night')
    await inDialog('Save').click()
    await heading('The tap drips all night').waitFor()

    // The page shows an old state. Without the page's If-Match the API would accept a step that is possible from both
    // states.
    const { data: opened } = await sendTo('/api/service-desk/requests')
    await page.getByLabel('Comment (optional)').fill('It is the washer')
    await button('Cancel request').click()
    const release = await holdReads(`/requests/${opened[0].id}`)
    await sendTo(`/api/service-desk/requests/${opened[0].id}/transition`, { state: 'in_progress' })
    manager.expectNoErrors()
    const refused = page.waitForResponse((answer) => answer.url().endsWith('/transition'))
    await inDialog('Cancel request').click()
    await refused
    release()
    await page.getByRole('alert').filter({ hasText: 'Somebody else changed this' }).waitFor()
    expectRefusalsOnly()
    await button('Resolve').waitFor()
    await button('Resolve').click()
    await page.getByRole('listitem').filter({ hasText: 'It is the washer' }).waitFor()
    await button('Close request').waitFor()
    await expectAccessible(page)

    await go('Requests')
    await page.getByLabel('Search', { exact: true }).fill('drips')
    await page.getByRole('link', { name: 'The tap drips all night' }).waitFor()
    await page.getByLabel('State').selectOption('new')
    await page.getByText('No requests found').waitFor()
    await expectAccessible(page)
    await button('Clear filters').click()
    await page.getByRole('link', { name: 'The tap drips all night' }).click()
    await button('Close request').click()
    await inDialog('Close request').click()
    await page.getByText('No further steps are possible.').waitFor()
    expect(await button('Edit').count()).toBe(0)
    expect(await button('Assign to me').count()).toBe(0)
    const { data } = await sendTo('/api/service-desk/requests')
    expect(data[0]).toMatchObject({ state: 'closed', priority: 'high', spaceId: room(4).id })
    manager.expectNoErrors()
  })
})

describe('a browser', () => {
  it('[LIV-21] shows a change made in another browser without polling', async () => {
    const other = manager.page
    const reader = await visit()
    await reader.page.clock.install()
    let sockets = 0
    reader.page.on('websocket', () => sockets++)
    page = reader.page
    await page.goto(`${connection.apiUrl}/changesets`)
    await signIn(page, await newAccount('nora@example.com', 'user'))
    await heading('Changesets').waitFor()
    await go('Requests')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    const reads: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) reads.push(new URL(request.url()).pathname)
    })
    await page.clock.fastForward(25_000)

    await other.goto(`${connection.apiUrl}/requests/new`)
    await other.getByLabel('What is wrong?').fill('The door squeaks')
    await other.getByRole('button', { name: 'Create request', exact: true }).click()
    await page.getByRole('link', { name: 'The door squeaks' }).waitFor()
    // One request reads the list, the other the number of overdue requests in the navigation.
    expect(reads.toSorted()).toEqual(['/api/service-desk/requests', '/api/service-desk/requests'])
    // Values and changes share one connection.
    expect(sockets).toBe(1)
    await reader.close()
  })
})

describe('a user with read permission only', () => {
  it('sees who may perform an action instead of its button', async () => {
    const id = await submitted('Not for everyone', 5, 'Archive')
    await sendTo('/api/service-desk/requests', { buildingId: connection.buildingId, title: 'The lamp flickers' })
    const ulla = await reviewAs('ulla', 'user', { timezoneId: 'Pacific/Kiritimati' })
    page = ulla.page
    expect(await page.getByRole('link', { name: 'New changeset' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Not for everyone' }).click()
    await page.getByText('Only managers and administrators can review changesets.').waitFor()
    // Times are shown in the time zone of the building, not of the reader.
    const { trail } = await send(`/changesets/${id}`)
    const { timezone } = await send('')
    const clock = { hour: '2-digit', minute: '2-digit', timeZone: timezone, timeZoneName: 'short' } as const
    const shown = new Intl.DateTimeFormat('en-GB', clock).format(new Date(trail.at(-1).at))
    await page.locator('time').filter({ hasText: shown }).first().waitFor()
    await go('Faults')
    await page.getByText('Only managers and administrators can acknowledge faults.').waitFor()
    expect(await page.getByRole('button', { name: /Acknowledge/ }).count()).toBe(0)
    await go('Requests')
    await page.getByRole('link', { name: 'The lamp flickers' }).click()
    await page.getByText('Only managers and administrators can change the state.').waitFor()
    expect(await button('Edit').count()).toBe(0)
    await go('History')
    expect(await button('Create snapshot').count()).toBe(0)
    expect((await send(`/changesets/${id}`)).state).toBe('submitted')
    ulla.expectNoErrors()
  })
})
