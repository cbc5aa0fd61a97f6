import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, type Visit } from './browser.ts'
import { onPage, useConsole } from './console.ts'

const { connection, visitAs, send } = useConsole({ storeys: 1, spacesMin: 4, spacesMax: 6, seedTelemetryDays: 1 })
let manager: Visit
let page: Page
let rooms: { id: string; code: string }[]
let point: { id: string; name: string }
const { heading, button } = onPage(() => page)

const alert = () => page.getByRole('alert').filter({ hasText: 'INTERNAL' })
const observe = (value: string) =>
  send('/telemetry/observations', { observations: [{ pointId: point.id, value, source: 'test' }] })
const open = async (path: string, title: string) => {
  await page.goto(connection.apiUrl + path)
  await heading(title).waitFor()
}

/** Answers reads of a path with 500 until the returned function is called. */
async function failReads(path: string): Promise<() => Promise<void>> {
  const pattern = new RegExp(`${path}(\\?.*)?$`)
  const problem = { type: 'about:blank', title: 'Internal error', status: 500, detail: 'Failed.', code: 'INTERNAL' }
  await page.route(pattern, (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ status: 500, contentType: 'application/problem+json', json: problem })
      : route.fallback(),
  )
  return () => page.unroute(pattern)
}

beforeAll(async () => {
  rooms = (await send('/spaces?limit=100')).data
  const [element] = (await send('/elements?limit=1')).data
  // The simulation does not know this point, so its value changes only when the test changes it.
  point = await send('/points', {
    ...{ elementId: element.id, pointType: 'SENSOR', name: 'Door counter' },
    ...{ quantityKind: 'Dimensionless', unit: 'UNITLESS' },
  })
  manager = await visitAs({ email: 'vera@example.com', path: '/layers', ignore: [/status of 500/] })
  page = manager.page
  await heading('Data layers').waitFor()
})

describe('the latest values', () => {
  it('[SHL-41] are right after a change that came before the channel was connected', async () => {
    await observe('21')
    let connect = () => {}
    const mayConnect = new Promise<void>((resolve) => {
      connect = resolve
    })
    const visit = await manager.context.newPage()
    page = visit
    await visit.routeWebSocket(/\/socket\.io\//, async (socket) => {
      await mayConnect
      socket.connectToServer()
    })
    await visit.goto(`${connection.apiUrl}/points/${point.id}`)
    const value = visit.locator(`main [data-point="${point.id}"]`)
    await expect.poll(() => value.textContent()).toMatch(/^21/)
    await observe('22')
    await visit.getByText('Connecting').first().waitFor()
    expect(await value.textContent()).toMatch(/^21/)
    connect()
    await expect.poll(() => value.textContent()).toMatch(/^22/)
    await visit.close()
    page = manager.page
  })

  it('[SHL-41] are read again after a failure, by themselves and with a button', async () => {
    const comfort = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Comfort' }) })
    const restore = await failReads('/telemetry/latest')
    await page.goto(connection.apiUrl)
    await alert().waitFor()
    expect(await comfort.textContent()).not.toMatch(/\d/)
    await expectAccessible(page)
    await restore()
    await expect.poll(() => comfort.textContent()).toMatch(/\d+ of \d+ rooms/)
    await alert().waitFor({ state: 'detached' })

    const restoreAgain = await failReads('/telemetry/latest')
    await page.reload()
    await alert().waitFor()
    await restoreAgain()
    await alert().getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => comfort.textContent()).toMatch(/\d+ of \d+ rooms/)
    manager.expectNoErrors()
  })
})

describe('the values of a layer', () => {
  it('[SHL-42] are shown with the error while they cannot be read again, and no table is compared with them', async () => {
    const { id } = await send('/data-layers', { key: 'desks', name: 'Desks', valueType: 'NUMBER' })
    const put = (values: object) => send(`/data-layers/${id}/values`, { keyBy: 'id', values }, 'PUT')
    const cell = (n: number) => page.getByRole('row').filter({ hasText: rooms[0]!.code }).getByText(String(n))
    await put({ [rooms[0]!.id]: 401 })
    await open(`/layers/${id}`, 'Desks')
    await cell(401).waitFor()
    const restore = await failReads(`/data-layers/${id}/values`)
    await put({ [rooms[0]!.id]: 402 })
    await alert().getByRole('button', { name: 'Try again' }).waitFor()
    await cell(401).waitFor()
    await expectAccessible(page)
    await restore()
    await cell(402).waitFor()
    await alert().waitFor({ state: 'detached' })

    await open(`/layers/${id}/upload`, 'Upload values')
    await page.getByLabel('Or paste cells from a spreadsheet').fill(`Room;Desks\n${rooms[0]!.code};403`)
    const changed = page
      .getByRole('term')
      .filter({ hasText: /^Changed$/ })
      .locator('xpath=following-sibling::dd')
    await expect.poll(() => changed.textContent()).toBe('1')
    const restoreAgain = await failReads(`/data-layers/${id}/values`)
    await put({ [rooms[0]!.id]: 403 })
    await alert().waitFor()
    await button('Write 1 value').waitFor({ state: 'detached' })
    await expectAccessible(page)
    await restoreAgain()
    await expect.poll(() => changed.textContent()).toBe('0')
    await button('Write 1 value').waitFor()
    manager.expectNoErrors()
  })
})
