import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { api, newDeveloper, newSandbox } from '../system/shared.ts'
import { expectAccessible, openBrowser, signIn, type Visit } from './browser.ts'

let browser: Awaited<ReturnType<typeof openBrowser>>
let ann: Visit
let page: Page
let key: string
let sandboxId: string
let connection: { apiUrl: string; token: string; buildingId: string }

/** Opens a page of the console as somebody with this password. */
async function enter(email: string, password: string, path: string): Promise<Visit> {
  // The tokens of an account whose roles or password change are refused once, and then renewed.
  const visit = await browser.visit({ ignore: [/status of 401/, /status of 400 .*\/token/] })
  await visit.page.goto(connection.apiUrl + path)
  await signIn(visit.page, { email, password })
  return visit
}
const heading = (of: Page, name: string) => of.getByRole('heading', { level: 1, name })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const row = (text: string) => page.getByRole('row').filter({ hasText: text }).first()
const secret = async () => (await page.getByRole('dialog').locator('code').last().textContent())!

beforeAll(async () => {
  browser = await openBrowser()
  key = (await newDeveloper()).key
  const sandbox = await newSandbox(key)
  sandboxId = sandbox.record.sandboxId
  connection = sandbox.connection
  const account = { email: 'ann@example.com', roles: ['admin'] }
  const made = await api(key, `/api/v1/sandboxes/${sandboxId}/accounts`, { body: account })
  ann = await enter(account.email, made.json.oneTimePassword, '/people')
  page = ann.page
  await heading(page, 'People').waitFor()
})
afterAll(async () => {
  await browser?.close()
  if (sandboxId) await api(key, `/api/v1/sandboxes/${sandboxId}`, { method: 'DELETE' })
})

describe('[PPL-01] the people of a sandbox', () => {
  let ben: Visit
  let password: string

  it('are added by an administrator, who sees the one-time password once', async () => {
    await row('ann@example.com').getByText('You').waitFor()
    expect(await page.getByRole('button', { name: /(roles|password|Remove): ann@example.com/ }).count()).toBe(0)
    await button('Add person').click()
    await page.getByLabel('Email').fill('ben')
    await inDialog('Add person').click()
    await page.getByText('Enter an email address').waitFor()
    await page.getByLabel('Email').fill('ben@example.com')
    await expectAccessible(page)
    await inDialog('Add person').click()
    await page.getByRole('heading', { name: 'ben@example.com can sign in now' }).waitFor()
    password = await secret()
    await expectAccessible(page)
    await inDialog('Done').click()
    await row('ben@example.com').getByText('One-time password').waitFor()
    await page.getByRole('row').filter({ hasText: 'Added as User' }).getByText('ann@example.com').waitFor()
    await expectAccessible(page)
  })

  it('without the role of an administrator see the names, and who manages them', async () => {
    ben = await enter('ben@example.com', password, '/people')
    await heading(ben.page, 'People').waitFor()
    await ben.page.getByText('Administrators add people and change their roles.').waitFor()
    await ben.page.getByRole('row').filter({ hasText: 'ann@example.com' }).waitFor()
    expect(await ben.page.getByRole('button', { name: 'Add person' }).count()).toBe(0)
    await expectAccessible(ben.page)
    await page.reload()
    await row('ben@example.com').getByText('Set', { exact: true }).waitFor()
  })

  it('[PPL-03] get other roles, which apply without a new sign-in', async () => {
    await button('Change roles: ben@example.com').click()
    await page.getByLabel('Admin').check()
    await inDialog('Save').click()
    await page.getByText('Roles of ben@example.com changed').waitFor()
    await page.getByRole('cell', { name: 'Roles changed from User to User and Admin' }).waitFor()
    // A token is refused until the second of the change is over.
    await ben.page.waitForTimeout(1_100)
    await ben.page.reload()
    await ben.page.getByRole('button', { name: 'Add person' }).waitFor()
  })

  it('[PPL-04] are signed out by a reset of their password, and when they are removed', async () => {
    await button('Reset password: ben@example.com').click()
    await inDialog('Reset password').click()
    await page.getByRole('heading', { name: 'New password of ben@example.com' }).waitFor()
    const next = await secret()
    expect(next).not.toBe(password)
    await inDialog('Done').click()
    await ben.page.reload()
    await ben.page.waitForURL(/\/realms\/sandboxes\//)
    await signIn(ben.page, { email: 'ben@example.com', password: next })
    await heading(ben.page, 'People').waitFor()

    await button('Remove: ben@example.com').click()
    await inDialog('Remove').click()
    await page.getByText('ben@example.com removed').waitFor()
    await button('Remove: ben@example.com').waitFor({ state: 'detached' })
    await ben.page.reload()
    await ben.page.waitForURL(/\/realms\/sandboxes\//)
    await ben.close()
    ann.expectNoErrors()
  })

  it('[PPL-06] are chosen by name when a request is assigned', async () => {
    const { apiUrl, token, buildingId } = connection
    await call(`${apiUrl}/api/v1/accounts`, { token, body: { email: 'carl@example.com', roles: ['manager'] } })
    const made = await call(`${apiUrl}/api/service-desk/requests`, { token, body: { buildingId, title: 'A leak' } })
    await page.goto(`${apiUrl}/requests/${made.json.id}`)
    await heading(page, 'A leak').waitFor()
    const picker = page.getByRole('combobox', { name: 'Assign to' })
    await picker.fill('carl')
    await page.getByRole('option', { name: 'carl@example.com' }).click()
    await button('Assign').click()
    await page.getByRole('definition').filter({ hasText: 'carl@example.com' }).waitFor()
    await expectAccessible(page)
    const stored = await call(`${apiUrl}/api/service-desk/requests/${made.json.id}`, { token })
    const { data } = (await call(`${apiUrl}/api/v1/people`, { token })).json
    const carl = data.find(({ email }: { email: string }) => email === 'carl@example.com')
    expect(stored.json.assignedUserId).toBe(carl.id)
    ann.expectNoErrors()
  })
})
