import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, type Visit } from './browser.ts'
import { onPage, useConsole } from './console.ts'

const { connection, visitAs, send, sendTo } = useConsole({ storeys: 1, spacesMin: 4, spacesMax: 6 })
const ignore = [/412 \(Precondition Failed\)/]
let visit: Visit
let page: Page
const { heading, button, inDialog } = onPage(() => page)

const open = async (path: string, title: string) => {
  await page.goto(connection.apiUrl + path)
  await heading(title).waitFor()
}
const refusal = (text: string) => page.getByRole('alert').filter({ hasText: text })
const CHANGED_ELSEWHERE = 'Somebody else has changed this'

/** Holds the responses to the page's reads of this address, until the returned function is called. */
async function holdReads(address: RegExp): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    if (route.request().method() === 'GET') await released
    await route.continue()
  })
  return release
}
const refused = () => page.waitForResponse((response) => response.status() === 412)

describe('[SHL-43] what somebody else changed meanwhile is not overwritten', () => {
  beforeAll(async () => {
    visit = await visitAs({ email: 'mona@example.com', path: '/layers', ignore })
    page = visit.page
    await heading('Data layers').waitFor()
  })

  it('in the legend of a layer', async () => {
    const legend = (label: string) => [{ min: 0, max: 10, label, color: '#cc0000' }]
    const { id } = await send('/data-layers', {
      ...{ key: 'load', name: 'Load', valueType: 'NUMBER', legend: legend('First') },
    })
    const stored = async () => (await send(`/data-layers/${id}`)).legend
    await open(`/layers/${id}`, 'Load')
    const label = page.getByLabel('Label, Entry 1')
    await label.fill('Mine')
    await send(`/data-layers/${id}`, { name: 'Heat load', legend: legend('Theirs') }, 'PATCH')
    // The page has the changed layer, and the draft stays.
    await heading('Heat load').waitFor()
    await button('Save legend').click()
    await refusal('PRECONDITION_FAILED').waitFor()
    expect(await stored()).toMatchObject(legend('Theirs'))
    expect(await label.inputValue()).toBe('Mine')
    await expectAccessible(page)

    // The next change begins with the legend of the other person.
    await button('Discard changes').click()
    expect(await label.inputValue()).toBe('Theirs')
    await label.fill('Both')
    await page.getByLabel('To, Entry 1').fill('10.0')
    await button('Save legend').click()
    await page.getByText('Legend saved').waitFor()
    await button('Save legend').waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject(legend('Both'))
    // The draft follows the stored legend as long as it has no changes.
    await send(`/data-layers/${id}`, { legend: legend('Theirs again') }, 'PATCH')
    await expect.poll(() => label.inputValue()).toBe('Theirs again')
    visit.expectNoErrors()
  })

  it('in the assignment of a request', async () => {
    const people: Record<string, string> = {}
    for (const name of ['yara', 'zoe']) {
      const account = await sendTo('/api/v1/accounts', { email: `${name}@example.com`, roles: ['manager'] })
      people[name] = account.id
    }
    const { buildingId } = connection
    const { id } = await sendTo('/api/service-desk/requests', { buildingId, title: 'A draught' })
    await sendTo(`/api/service-desk/requests/${id}/transition`, { state: 'in_progress' })
    const path = `/api/service-desk/requests/${id}`
    await open(`/requests/${id}`, 'A draught')
    await page.getByRole('combobox', { name: 'Assign to' }).fill('yara')
    await page.getByRole('option', { name: 'yara@example.com' }).click()
    await sendTo(path, { assignedUserId: people.zoe }, 'PATCH')
    await page.getByRole('definition').filter({ hasText: 'zoe@example.com' }).waitFor()
    await button('Assign').click()
    await refusal('Somebody else changed this request').waitFor()
    expect((await sendTo(path)).assignedUserId).toBe(people.zoe)
    await expectAccessible(page)
    // The page has shown who was assigned, so the next attempt replaces that person.
    await button('Assign').click()
    await page.getByRole('definition').filter({ hasText: 'yara@example.com' }).waitFor()
    expect((await sendTo(path)).assignedUserId).toBe(people.yara)
    visit.expectNoErrors()
  })

  it('in the switch and the deletion of a fault rule', async () => {
    const { data } = await send('/points?limit=1')
    const rule = {
      kind: 'threshold',
      name: 'Too loud',
      severity: 'minor',
      pointId: data[0].id,
      above: 90,
      enabled: false,
    }
    const { id } = await send('/fault-rules', rule)
    const stored = async () => await send(`/fault-rules/${id}`)
    await open('/faults/rules', 'Fault rules')
    const enabled = page.getByRole('switch', { name: /Too loud/ })
    await enabled.waitFor()
    const release = await holdReads(/fault-rules\?/)
    await send(`/fault-rules/${id}`, { above: 80 }, 'PATCH')
    await enabled.click()
    await refusal(CHANGED_ELSEWHERE).waitFor()
    expect(await stored()).toMatchObject({ enabled: false, above: 80 })
    // The row shows the current rule already, so the next attempt applies to it.
    await page
      .getByRole('row', { name: /Too loud/ })
      .getByText('above 80')
      .waitFor()
    await expectAccessible(page)
    await enabled.click()
    await expect.poll(() => enabled.getAttribute('aria-checked')).toBe('true')
    expect(await stored()).toMatchObject({ enabled: true, above: 80 })

    await button('Delete “Too loud”').click()
    await send(`/fault-rules/${id}`, { name: 'Far too loud' }, 'PATCH')
    await inDialog('Delete').click()
    await refusal(CHANGED_ELSEWHERE).waitFor()
    expect((await stored()).name).toBe('Far too loud')
    await page.getByRole('dialog', { name: 'Delete rule “Far too loud”?' }).waitFor()
    await inDialog('Delete').click()
    await page.getByText('Rule “Far too loud” deleted').waitFor()
    await expect(stored()).rejects.toThrow('NOT_FOUND')
    release()
    visit.expectNoErrors()
  })

  it('in the pause and the deletion of a webhook', async () => {
    const webhook = { url: 'http://localhost:9/hook', events: ['building.alarm.triggered'] }
    const { id } = await sendTo('/api/v1/webhooks', webhook)
    const path = `/api/v1/webhooks/${id}`
    await open(`/webhooks/${id}`, webhook.url)
    let release = await holdReads(new RegExp(`${path}$`))
    await sendTo(path, { events: ['building.point.updated'] }, 'PATCH')
    let answered = refused()
    await button('Pause').click()
    await answered
    release()
    await refusal(CHANGED_ELSEWHERE).waitFor()
    expect((await sendTo(path)).status).toBe('active')
    await button('Pause').click()
    await button('Resume').waitFor()

    await button('Delete').click()
    release = await holdReads(new RegExp(`${path}$`))
    await sendTo(path, { status: 'active' }, 'PATCH')
    answered = refused()
    await inDialog('Delete').click()
    await answered
    release()
    await refusal(CHANGED_ELSEWHERE).waitFor()
    expect((await sendTo(path)).status).toBe('active')
    await inDialog('Delete').click()
    await heading('Webhooks').waitFor()
    await expect(sendTo(path)).rejects.toThrow('NOT_FOUND')
    visit.expectNoErrors()
  })

  it('in the deletion of a layer', async () => {
    const { id } = await send('/data-layers', { key: 'dust', name: 'Dust', valueType: 'NUMBER' })
    await open(`/layers/${id}`, 'Dust')
    await button('Delete').click()
    const release = await holdReads(new RegExp(`/data-layers/${id}$`))
    await send(`/data-layers/${id}`, { name: 'Fine dust' }, 'PATCH')
    const answered = refused()
    await inDialog('Delete').click()
    await answered
    release()
    await refusal(CHANGED_ELSEWHERE).waitFor()
    expect((await send(`/data-layers/${id}`)).name).toBe('Fine dust')
    await page.getByRole('dialog', { name: 'Delete “Fine dust”?' }).waitFor()
    await inDialog('Delete').click()
    await heading('Data layers').waitFor()
    await expect(send(`/data-layers/${id}`)).rejects.toThrow('NOT_FOUND')
    visit.expectNoErrors()
  })

  it('[PPL-08] in the roles of a person', async () => {
    const admin = await visitAs({ email: 'ada@example.com', role: 'admin', path: '/people', ignore })
    page = admin.page
    const account = await sendTo('/api/v1/accounts', { email: 'ben@example.com', roles: ['manager', 'admin'] })
    const roles = async () => (await sendTo(`/api/v1/accounts/${account.id}`)).roles
    const dialog = page.getByRole('dialog')
    await button('Change roles: ben@example.com').click()
    await dialog.getByLabel('Accountant').check()
    await sendTo(`/api/v1/accounts/${account.id}`, { roles: ['manager'] }, 'PATCH')
    await inDialog('Save').click()
    await refusal('PRECONDITION_FAILED').waitFor()
    expect(await roles()).toEqual(['manager'])
    await expectAccessible(page)
    await inDialog('Cancel').click()

    await button('Change roles: ben@example.com').click()
    await dialog.getByLabel('Accountant').check()
    expect(await dialog.getByLabel('Admin').isChecked()).toBe(false)
    await inDialog('Save').click()
    await page.getByText('Roles of ben@example.com changed').waitFor()
    expect((await roles()).toSorted()).toEqual(['accountant', 'manager'])

    // Nor is the account removed unseen.
    await button('Remove: ben@example.com').click()
    const release = await holdReads(/\/accounts\?/)
    await sendTo(`/api/v1/accounts/${account.id}`, { roles: ['admin'] }, 'PATCH')
    await inDialog('Remove').click()
    await refusal(CHANGED_ELSEWHERE).waitFor()
    expect(await roles()).toEqual(['admin'])
    await inDialog('Remove').click()
    await page.getByText('ben@example.com removed').waitFor()
    await expect(roles()).rejects.toThrow('NOT_FOUND')
    release()
    admin.expectNoErrors()
  })
})
