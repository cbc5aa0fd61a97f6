import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemUrl } from '../system/shared.ts'
import { expectAccessible, type Visit } from './browser.ts'
import { onPage, useConsole } from './console.ts'

const { connection, sandbox, visitAs, send } = useConsole({
  storeys: 1,
  spacesMin: 4,
  spacesMax: 6,
  seedTelemetryDays: 1,
})
let admin: Visit
let page: Page
const { heading, button, inDialog } = onPage(() => page)
let point: { id: string; name: string }

/** A receiver of webhooks that answers with `status`. */
let receiver: Server
let status = 200
const received: { headers: Record<string, unknown>; body: string }[] = []

const observe = (value: string) =>
  send('/telemetry/observations', { observations: [{ pointId: point.id, value, source: 'test' }] })
const go = async (path: string, title: string) => {
  await page.goto(connection.apiUrl + path)
  await heading(title).waitFor()
}
/** The link in the header that shows whether data flows. */
const live = () => page.getByRole('banner').getByRole('link', { name: /^Live/ })
async function useToken(): Promise<void> {
  await button('Use the sandbox token').click()
  const toPortal = page.getByRole('dialog').getByRole('link', { name: 'Open the portal' })
  expect(await toPortal.getAttribute('href')).toBe(`${systemUrl}/sandboxes/${sandbox.sandboxId}/connect`)
  await page.getByRole('textbox', { name: 'Sandbox token' }).fill(connection.token)
  await inDialog('Use token').click()
  await page.getByText('You are using the sandbox token').waitFor()
}

beforeAll(async () => {
  const { data } = await send('/points?limit=1000')
  point = data.find(({ code }: { code: string }) => code.endsWith('.ZNT'))
  receiver = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: String(await buffer(request)) })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ answer: status }))
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const permissions = ['clipboard-read', 'clipboard-write']
  admin = await visitAs({ email: 'olga@example.com', role: 'admin', path: '/simulation', permissions })
  page = admin.page
  await heading('Simulation').waitFor()
})
afterAll(() => void receiver?.close())

describe('the simulation page', () => {
  it('[CON-01] shows who may control the simulation, and accepts only the token of the sandbox', async () => {
    await page.getByText('Only the sandbox’s own token can control the simulation.').waitFor()
    expect(await button('Stop').count()).toBe(0)
    await live().filter({ hasText: 'data flowing' }).waitFor()
    await page.getByText('Runs while somebody is in the console').waitFor()
    await expectAccessible(page)
    await button('Use the sandbox token').click()
    await page.getByRole('textbox', { name: 'Sandbox token' }).fill('not a token')
    await inDialog('Use token').click()
    await page.getByText('This is not the token of a sandbox.').waitFor()
    await inDialog('Cancel').click()
    await useToken()
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      connection.token,
    )
  })

  it('[CON-01, CON-02] runs and stops the simulation, and the header shows whether data flows', async () => {
    await button('Keep running').click()
    await button('Keep running').waitFor({ state: 'detached' })
    await button('Stop').click()
    await live().filter({ hasText: 'simulation stopped' }).waitFor()
    await button('Start').click()
    await button('Stop').waitFor()
    await page.getByLabel('Speed').selectOption('600')
    await live().filter({ hasText: 'data flowing' }).waitFor()
    await button('Stop').click()
    await button('Start').waitFor()
    await live().filter({ hasText: 'simulation stopped' }).waitFor()
    // Data of other sources flows without the simulation.
    await observe('20')
    await live().filter({ hasText: 'data flowing' }).waitFor()
  })

  it('[CON-03] injects faults and ends them', async () => {
    await page.getByText('Start the simulation first.').waitFor()
    await button('Start').click()
    await page.getByLabel('Speed').selectOption('1')
    await page.getByRole('radio', { name: /Silent gateway/ }).check()
    await page.getByRole('combobox', { name: 'Where' }).click()
    await page.getByRole('listbox').getByRole('option').first().click()
    await button('Inject fault').click()
    const row = page.getByRole('list', { name: 'Injected faults' }).getByRole('listitem')
    await row.getByText(/of simulated time/).waitFor()
    await expectAccessible(page)
    await row.getByRole('button', { name: /^End/ }).click()
    await page.getByRole('heading', { name: 'No injected faults' }).waitFor()
    await button('Stop').click()
    await button('Start').waitFor()
    admin.expectNoErrors()
  })
})

it('the menu of the user leads to the API reference and to the sandbox in the portal', async () => {
  await button('Account: olga@example.com').click()
  const hrefOf = (name: string) => page.getByRole('link', { name, exact: true }).getAttribute('href')
  expect(await hrefOf('API reference')).toBe('/docs')
  expect(await hrefOf('Sandbox in the portal')).toBe(`${systemUrl}/sandboxes/${sandbox.sandboxId}`)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
})

describe('the webhooks pages', () => {
  const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`

  it('[CON-04] and the layer pages show an administrator how to get another role, and suggest nothing that the API refuses', async () => {
    for (const [path, title] of [
      ['/webhooks', 'Webhooks'],
      ['/webhooks/new', 'New webhook'],
      ['/layers', 'Data layers'],
      ['/layers/new', 'New layer'],
    ] as const) {
      await go(path, title)
      const note = page.getByText('You cannot change your own roles: use the sandbox token, ask another administrator')
      await note.getByRole('link', { name: 'People' }).waitFor()
      expect(await page.getByText(/give you/).count()).toBe(0)
    }
    await expectAccessible(page)
  })

  it('[CON-04] show who may create webhooks, and the secret of a new one once', async () => {
    await go('/webhooks', 'Webhooks')
    await page.getByText('Only managers can create and change webhooks.').waitFor()
    expect(await page.getByRole('link', { name: 'New webhook' }).count()).toBe(0)
    await useToken()
    await page.getByRole('link', { name: 'New webhook' }).first().click()
    await button('Create webhook').click()
    await page.getByText('Enter the address of your receiver.').waitFor()
    await page.getByLabel('URL').fill(url())
    await page.getByLabel(/building\.point\.updated/).check()
    await expectAccessible(page)
    await button('Create webhook').click()
    const secret = await page
      .getByRole('dialog')
      .locator('code')
      .filter({ hasText: /^whsec_/ })
      .textContent()
    await expectAccessible(page)
    await inDialog('I have copied it').click()
    await heading(url()).waitFor()
    expect(await page.getByText(`${secret!.slice(0, 8)}…`).count()).toBe(1)
    expect(await page.content()).not.toContain(secret)
  })

  it('[CON-05] show the request and the response of each delivery, and send it again', async () => {
    await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor()
    await button('Send test event').click()
    await page.getByRole('row', { name: /webhook\.test/ }).waitFor()
    status = 500
    await observe('21.5')
    const failed = page.getByRole('row', { name: /building\.point\.updated/ })
    await failed.getByText('Failed', { exact: true }).waitFor()
    await failed.getByRole('link').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('"value": "21.5"').waitFor()
    await dialog.getByText('"answer": 500').waitFor()
    expect(await dialog.textContent()).toContain(String(received.at(-1)!.headers['x-svc-idempotency-key']))
    await expectAccessible(page)
    status = 200
    await inDialog('Resend').click()
    await dialog.getByText('"answer": 200').waitFor()
    await dialog.getByText('Attempt 2').waitFor()
    expect(received.at(-1)!.body).toBe(received.at(-2)!.body)
    await page.keyboard.press('Escape')
    expect(page.url()).not.toContain('delivery=')
  })

  it('[CON-06] pause, resume and delete a webhook', async () => {
    await button('Pause').click()
    await page.getByText('Paused: nothing is queued').waitFor()
    const before = received.length
    await observe('21.6')
    await button('Resume').click()
    await button('Pause').waitFor()
    expect(received.length).toBe(before)
    await button('Delete').click()
    await inDialog('Delete').click()
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    // The page does not request what it has deleted.
    admin.expectNoErrors()
  })
})

describe('the event inspector', () => {
  it('[CON-07] shows events as they arrive, filters them, and copies them as JSON', async () => {
    await go('/events', 'Events')
    await live().waitFor()
    await observe('21.25')
    const row = page.getByRole('button', { name: /building\.point\.updated.*21/ })
    await row.first().click()
    await page.getByRole('complementary', { name: 'Event' }).getByText('"value": "21.25"').waitFor()
    await expectAccessible(page)
    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing has this')
    await page.getByRole('heading', { name: 'No event matches the filter' }).waitFor()
    await button('Clear filter').click()
    await button(/^building\.alarm\.triggered/).click()
    await page.getByRole('heading', { name: 'No event matches the filter' }).waitFor()
    await button('Clear filter').click()
    await page.getByRole('combobox', { name: 'Place or point' }).fill(point.name)
    await page.getByRole('listbox').getByRole('option', { name: point.name }).first().click()
    expect(new URL(page.url()).searchParams.get('node')).not.toBeNull()
    await page.getByRole('searchbox', { name: 'Search' }).fill('21.25')
    await row.first().waitFor()
    await button('Copy as JSON').click()
    await page.getByText('1 event copied').waitFor()
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
    expect(copied).toMatchObject({ event: 'building.point.updated', data: { buildingId: connection.buildingId } })
  })

  it('[CON-08] shows how many events a paused view does not show', async () => {
    await go('/events', 'Events')
    await live().waitFor()
    await observe('21.1')
    const list = page.getByRole('list', { name: 'Events' }).getByRole('listitem')
    // The list can have other entries already, so the test waits for its own.
    await list.filter({ hasText: '21.1' }).first().waitFor()
    await button('Pause').click()
    const shown = await list.count()
    await observe('21.2')
    await observe('21.3')
    await page.getByText('Paused. 2 new entries are not shown: 2 building.point.updated.').waitFor()
    expect(await list.count()).toBe(shown)
    await button('Resume').click()
    await expect.poll(() => list.count()).toBe(shown + 2)
    await button('Clear').click()
    await page.getByText('0 events').waitFor()
    admin.expectNoErrors()
  })
})
