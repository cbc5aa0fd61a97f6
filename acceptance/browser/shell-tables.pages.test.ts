import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, type Visit } from './browser.ts'
import { onPage, useConsole } from './console.ts'

const { visitAs, send } = useConsole({ storeys: 2, spacesMin: 16, spacesMax: 18, equipmentDensity: 'dense' })
let visit: Visit
let page: Page
const { heading, button, go } = onPage(() => page)

const names = () => page.getByRole('rowheader').allTextContents()
const foot = () => page.locator('.st-data-table-foot').first()

beforeAll(async () => {
  // Faults begin only when a test causes them.
  await send('/simulation', { running: false })
  visit = await visitAs({ email: 'nora@example.com', path: '/equipment' })
  page = visit.page
  await heading('Equipment').waitFor()
})

describe('the equipment register', () => {
  it('[SHL-33] filters and sorts, keeps both in the address, and exports', async () => {
    const { total } = await send('/elements?limit=1')
    await expect.poll(() => foot().textContent()).toContain(`${total} rows`)
    const table = page.getByRole('table', { name: 'Equipment' })
    expect(await table.getAttribute('aria-rowcount')).toBe(String(total + 1))
    // Only the visible rows exist.
    expect(await table.getByRole('row').count()).toBeLessThan(total)
    await expectAccessible(page)
    // When a link in the table gets the focus, the table keeps its scroll position.
    const box = page.getByRole('group', { name: 'Equipment' })
    const [first] = await names()
    await box.evaluate((element) => element.scrollTo(0, 1200))
    await expect.poll(names).not.toContain(first)
    await page.getByRole('rowheader').nth(10).getByRole('link').focus()
    expect(await box.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(600)

    await page.getByRole('combobox', { name: 'Type' }).fill('vav')
    await page.getByRole('option', { name: 'VAV box' }).click()
    await button('Name').click()
    await button('Name').click()
    await expect.poll(() => page.url()).toMatch(/type=vav.*sort=-name/)
    const { data } = await send('/elements?limit=1000')
    const boxes = data.filter(({ elementType }: { elementType: { slug: string } }) => elementType.slug === 'vav')
    const expected = boxes
      .map(({ name }: { name: string }) => name)
      .sort()
      .reverse()
    await expect.poll(names).toEqual(expected)
    expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('descending')

    await page.reload()
    await expect.poll(names).toEqual(expected)
    const download = page.waitForEvent('download')
    await button('Export CSV').click()
    const csv = await readFile(await (await download).path(), 'utf8')
    expect(csv.trim().split('\r\n')).toHaveLength(boxes.length + 1)
    expect(csv.split('\r\n')[1]).toMatch(new RegExp(`^${expected[0]},.*,VAV box,`))
  })

  it('[SHL-34] leads to an element, which shows what it feeds and what feeds it', async () => {
    const { data } = await send('/elements?limit=1000')
    const name = (await names())[0]!
    const box = data.find((element: { name: string }) => element.name === name)
    const feeder = data.find((element: { serves: string[] }) => element.serves.includes(box.id))
    await page.getByRole('link', { name, exact: true }).click()
    await heading(name).waitFor()
    await page.getByRole('heading', { name: `Feeds (${box.serves.length})` }).waitFor()
    await page.getByRole('table', { name: 'Fed by' }).getByRole('link', { name: feeder.name }).click()
    await heading(feeder.name).waitFor()
    await page.getByRole('table', { name: 'Feeds' }).getByRole('link', { name, exact: true }).waitFor()
    await page.goBack()
    await heading(name).waitFor()
  })

  it('[SHL-35] remembers the columns, and shows cards on a phone', async () => {
    await go('Equipment')
    await button('Columns').click()
    await page.getByRole('checkbox', { name: 'External IDs' }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'External IDs' }).waitFor()
    await page.reload()
    await page.getByRole('columnheader', { name: 'External IDs' }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    const card = page.getByRole('row').nth(1)
    await expect.poll(() => card.textContent()).toContain('External IDs')
    await button('Filters').click()
    await page.getByLabel('Sort by').selectOption({ label: 'Name, descending' })
    await expect.poll(() => page.url()).toContain('sort=-name')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
    await expectAccessible(page)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('[SHL-35] shows on cards the values that arrive after the cards', async () => {
    const { data } = await send('/points?limit=1000')
    const point = data.find(({ quantityKind }: { quantityKind: string }) => quantityKind === 'RelativeHumidity')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(new URL(`/elements/${point.elementId}`, page.url()).href)
    const card = page.getByRole('row').filter({ has: page.getByRole('link', { name: point.name, exact: true }) })
    await expect.poll(() => card.textContent()).toMatch(/Value–/)
    await send('/telemetry/observations', { observations: [{ pointId: point.id, value: '45' }] })
    await expect.poll(() => card.textContent()).toMatch(/Value45.*Measured/)
    await page.setViewportSize({ width: 1280, height: 800 })
  })
})

describe('fault rules', () => {
  it('[SHL-36] are created, changed, disabled and deleted', async () => {
    await go('Faults')
    await page.getByRole('link', { name: 'Fault rules' }).click()
    await heading('Fault rules').waitFor()
    await button('New rule').click()
    await button('Create rule').click()
    await page.getByText('Enter a name').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Far too warm')
    await dialog.getByRole('combobox', { name: 'Quantity' }).fill('temperature')
    await dialog.getByRole('option', { name: 'Temperature', exact: true }).click()
    await dialog.getByText(/The rule watches \d+ points/).waitFor()
    await dialog.getByRole('textbox', { name: 'Above' }).fill('-50,5')
    await dialog.getByLabel('Duration', { exact: true }).fill('0')
    await expectAccessible(page)
    await button('Create rule').click()
    const row = page.getByRole('row', { name: /Far too warm/ })
    await row.getByText('above -50.5').waitFor()

    await row.getByRole('button', { name: 'Edit “Far too warm”' }).click()
    await dialog.getByRole('radio', { name: 'Critical' }).check()
    await button('Save').click()
    await row.getByText('Critical').waitFor()
    const enabled = row.getByRole('switch')
    await enabled.click()
    await expect.poll(() => enabled.getAttribute('aria-checked')).toBe('false')
    const rule = async () =>
      (await send('/fault-rules?limit=200')).data.find(({ name }: { name: string }) => name === 'Far too warm')
    expect(await rule()).toMatchObject({ severity: 'critical', above: -50.5, durationSeconds: 0, enabled: false })
    await enabled.click()
    await expect.poll(() => enabled.getAttribute('aria-checked')).toBe('true')
    expect((await rule()).enabled).toBe(true)
    await row.getByRole('button', { name: 'Delete “Far too warm”' }).click()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    expect(await rule()).toBeUndefined()
    visit.expectNoErrors()
  })
})

describe('a fault rule whose faults are not loaded yet', () => {
  it('[SHL-36] asks for confirmation before it is disabled', async () => {
    await page.route(/\/faults\?/, () => undefined)
    await page.reload()
    const enabled = page.getByRole('switch').first()
    await enabled.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Its active faults are resolved.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await enabled.getAttribute('aria-checked')).toBe('true')
    await page.unroute(/\/faults\?/)
    await page.reload()
    await enabled.waitFor()
  })
})

describe('several faults', () => {
  it('[SHL-37] are acknowledged together', async () => {
    const { data } = await send('/points?pointType=SENSOR&limit=3')
    const ids = data.map(({ id }: { id: string }) => id)
    for (const pointId of ids) {
      const rule = { kind: 'threshold', name: 'Out of reach', severity: 'critical', pointId, above: 1e6 }
      await send('/fault-rules', rule)
    }
    const observations = ids.map((pointId: string) => ({
      pointId,
      value: '2000000',
      timestamp: new Date().toISOString(),
    }))
    await send('/telemetry/observations', { observations })
    await go('Faults')
    await page.getByLabel('Severity').selectOption({ label: 'Critical' })
    await expect.poll(() => page.getByRole('row', { name: /Out of reach/ }).count()).toBe(3)
    await page.getByLabel('Select all rows').check()
    await button('Acknowledge 3 faults').click()
    await page.getByText('3 faults acknowledged').waitFor()
    const states = async () =>
      (await send('/faults?severity=critical')).data.map(({ state }: { state: string }) => state)
    expect(await states()).toEqual(['acknowledged', 'acknowledged', 'acknowledged'])
    await expect.poll(() => page.getByText('by nora@example.com').count()).toBe(3)
    await expectAccessible(page)
  })
})

describe('a half-filled form', () => {
  it('[SHL-38] asks before a link, Back or a reload discards it', async () => {
    await go('Requests')
    await page.getByRole('link', { name: 'New request' }).first().click()
    await heading('New request').waitFor()
    const what = page.getByLabel('What is wrong?')
    await what.fill('The lift makes a noise')
    const question = page.getByRole('dialog', { name: 'Discard changes?' })

    await page.getByRole('navigation').getByRole('link', { name: 'Faults' }).click()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    expect(await what.inputValue()).toBe('The lift makes a noise')
    expect(page.url()).toContain('/requests/new')

    await page.goBack()
    await question.getByRole('button', { name: 'Keep editing' }).click()
    expect(await what.inputValue()).toBe('The lift makes a noise')
    expect(page.url()).toContain('/requests/new')

    const asked = page.waitForEvent('dialog')
    await page.evaluate(() => void setTimeout(() => location.reload()))
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    expect(await what.inputValue()).toBe('The lift makes a noise')

    await page.goBack()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await heading('Requests').waitFor()
    await page.goForward()
    await heading('New request').waitFor()
    expect(await what.inputValue()).toBe('')
  })

  it('[SHL-39] lets the user choose a room by typing, and asks nothing after it was sent', async () => {
    const [room] = (await send('/spaces?limit=1')).data
    await page.getByLabel('What is wrong?').fill('The window does not close')
    const picker = page.getByRole('combobox', { name: 'Room', exact: true })
    await picker.press('ArrowDown')
    await picker.press('Escape')
    await picker.pressSequentially(room.code)
    await page.getByRole('option', { name: room.name }).waitFor()
    await picker.press('Enter')
    expect(await picker.inputValue()).toBe(room.name)
    await expectAccessible(page)
    await button('Create request').click()
    await heading('The window does not close').waitFor()
    await page.getByRole('link', { name: room.name }).waitFor()
    visit.expectNoErrors()
  })
})
