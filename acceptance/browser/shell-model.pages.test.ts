import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../system/call.ts'
import { expectAccessible, type Visit } from './browser.ts'
import { onPage, useConsole } from './console.ts'

const { connection, visitAs, send } = useConsole({ storeys: 1, spacesMin: 8, spacesMax: 10 })
let manager: Visit
let page: Page
const { button, heading: headingOf } = onPage(() => page)
let rooms: { id: string; name: string; code: string; externalId: string }[]

const room = (n: number) => rooms[n]!
const heading = (name: string | RegExp) => headingOf(name).waitFor()
const open = async (path: string, title: string) => {
  await page.goto(connection.apiUrl + path)
  await heading(title)
}

beforeAll(async () => {
  rooms = (await send('/spaces?limit=100')).data
  manager = await visitAs({ email: 'vera@example.com', path: '/layers' })
  page = manager.page
  await heading('Data layers')
})

describe('data layers', () => {
  it('[SHL-25, SHL-27] are created in a form and filled from a pasted table', async () => {
    await page.getByRole('link', { name: 'New layer' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Air quality')
    await page.getByLabel('Maximum (optional)').fill('10')
    await expectAccessible(page)
    await button('Create layer').click()
    await heading('Air quality')
    const [layer] = (await send('/data-layers')).data
    expect(layer).toMatchObject({ key: 'air-quality', valueSchema: { type: 'number', maximum: 10 } })

    await page.getByRole('main').getByRole('link', { name: 'Upload values' }).first().click()
    const table = [
      'Room;Score',
      `${room(0).code.toLowerCase()};4,5`,
      `${room(1).code};11`,
      'Z-99;1',
      `${room(2).code};9`,
    ]
    await page.getByLabel('Or paste cells from a spreadsheet').fill(table.join('\n'))
    await page.getByRole('row', { name: /4 Z-99 1 No room has this code/ }).waitFor()
    await page.getByRole('row', { name: new RegExp(`3 ${room(1).name} .* 11 More than 10`) }).waitFor()
    await expectAccessible(page)
    expect((await send(`/data-layers/${layer.id}/values`)).total).toBe(0)
    await button('Write 2 values').click()
    await heading('Air quality')
    const { data } = await send(`/data-layers/${layer.id}/values`)
    const values = Object.fromEntries(data.map(({ entityId, value }: Answer['json']) => [entityId, value]))
    expect(values).toEqual({ [room(0).id]: 4.5, [room(2).id]: 9 })
  })

  it('[SHL-26] have a legend that is drawn on the plan before it is saved', async () => {
    const drawn = page.getByRole('option', { name: new RegExp(`${room(0).code}, 4.5 `) })
    await page.getByRole('radio', { name: /^Custom/ }).check()
    await page.getByLabel('Label, Entry 1').fill('Needs air')
    await page.getByLabel('Colour, Entry 1').fill('#cc0000')
    await expect.poll(() => drawn.getAttribute('aria-label')).toContain('(Needs air)')
    expect(
      await drawn
        .locator('path')
        .first()
        .evaluate((shape: SVGPathElement) => shape.style.fill),
    ).toBe('rgb(204, 0, 0)')
    const [before] = (await send('/data-layers')).data
    expect(before.legend).toBeNull()
    // The page asks before it discards a legend that is not saved.
    await page.getByRole('link', { name: '← Data layers' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
    await expectAccessible(page)
    await button('Save legend').click()
    await page.getByText('Legend saved').waitFor()
    const [after] = (await send('/data-layers')).data
    expect(after.legend[0]).toMatchObject({ label: 'Needs air', color: '#cc0000' })
  })

  it('are filled by external ids, and are deleted', async () => {
    const { id } = await send('/data-layers', { key: 'leases', name: 'Leases', valueType: 'BOOLEAN' })
    await open(`/layers/${id}/upload`, 'Upload values')
    const buffer = Buffer.from(`GlobalId,Leased\n${room(0).externalId},yes\n${room(1).externalId},нет\n`)
    await page.getByLabel('Choose CSV file').setInputFiles({ name: 'leases.csv', mimeType: 'text/csv', buffer })
    expect(await page.getByLabel('Rooms are identified by').inputValue()).toBe('externalId')
    await button('Write 2 values').click()
    await heading('Leases')
    await page.getByText('Automatic labels are the same in every language').waitFor()
    await button('Delete').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await heading('Data layers')
    expect((await send('/data-layers')).data.map(({ key: one }: Answer['json']) => one)).toEqual(['air-quality'])
    manager.expectNoErrors()
  })
})

describe('imports', () => {
  it('[SHL-28] of a table are checked, drawn and applied', async () => {
    await open('/imports', 'Imports')
    await page.getByRole('main').getByRole('link', { name: 'Import table' }).click()
    await heading('Import a table')
    const lines = [
      'Code,Name,Floor,Type,Capacity',
      `${room(3).code},Atelier,,,7`,
      'N-1,New room,0,Lounge,',
      'N-2,X,9,Castle,',
    ]
    await page.getByLabel('Or paste cells from a spreadsheet').fill(lines.join('\n'))
    await page.getByText('1 row is left out').waitFor()
    await button('Check 2 rows').click()
    await page.getByRole('option', { name: /Changed$/ }).waitFor()
    const change = page.getByRole('row', { name: /Changed Atelier/ })
    expect(await change.textContent()).toContain(`${room(3).name}→Atelier`)
    await page.getByRole('row', { name: /Added New room/ }).waitFor()
    await expectAccessible(page)
    expect((await send(`/spaces/${room(3).id}`)).name).toBe(room(3).name)
    await button('Apply 2 changes').click()
    await heading('History')
    expect(await send(`/spaces/${room(3).id}`)).toMatchObject({ name: 'Atelier', capacity: 7 })
    await open('/imports', 'Imports')
    await page.getByRole('row', { name: /Table of rooms from Pasted table Done 1 added, 1 changed/ }).waitFor()
    await expectAccessible(page)
    manager.expectNoErrors()
  })

  it('[SHL-29] of a model show their progress and why they failed', async () => {
    await page.getByRole('main').getByRole('link', { name: 'Import model' }).click()
    await heading('Import a building model')
    const choose = page.getByLabel('Choose IFC file')
    const file = (name: string, text: string) => ({ name, mimeType: 'application/x-step', buffer: Buffer.from(text) })
    await choose.setInputFiles(file('house.zip', 'PK'))
    await page.getByText('This is not an .ifc file').waitFor()
    await choose.setInputFiles(file('house.ifc', 'ISO-10303-21;\nHEADER;\n'))
    await expectAccessible(page)
    await button('Import').click()
    await heading('house.ifc')
    await page.getByText('The import failed. The building was not changed.').waitFor()
    await expectAccessible(page)
    manager.expectNoErrors()
  })
})

it('[SHL-30] snapshots are created, compared and deleted', async () => {
  await open('/snapshots', 'Snapshots')
  for (const name of ['Handover', 'Before the refit']) {
    await button('Create snapshot').click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name }).waitFor()
  }
  await expectAccessible(page)
  await send(`/spaces/${room(4).id}`, { name: 'Refitted' }, 'PATCH')
  await page
    .getByRole('row', { name: /Handover/ })
    .getByRole('link', { name: 'Compare with now' })
    .click()
  await heading('History')
  await page.getByRole('row', { name: /Changed Refitted/ }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Delete Handover' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('row', { name: /Handover/ }).waitFor({ state: 'detached' })
  expect((await send('/snapshots')).total).toBe(1)
  manager.expectNoErrors()
})
