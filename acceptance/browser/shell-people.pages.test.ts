import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, signIn, type Visit } from './browser.ts'
import { onPage, useConsole } from './console.ts'

// When the roles or the password of an account change, its tokens are refused once and then renewed. The browser logs
// these refusals.
const ignore = [/status of 401/, /status of 400 .*\/token/]

const { connection, visit, visitAs, sendTo } = useConsole()
let ann: Visit
let page: Page
const { button, inDialog } = onPage(() => page)
const heading = (of: Page, name: string) => of.getByRole('heading', { level: 1, name })
const row = (text: string) => page.getByRole('row').filter({ hasText: text }).first()
const secret = async () => (await page.getByRole('dialog').locator('code').last().textContent())!

beforeAll(async () => {
  ann = await visitAs({ email: 'ann@example.com', role: 'admin', path: '/people', ignore })
  page = ann.page
  await heading(page, 'People').waitFor()
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
    ben = await visit({ ignore })
    await ben.page.goto(`${connection.apiUrl}/people`)
    await signIn(ben.page, { email: 'ben@example.com', password })
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
    // A token that is issued in the same second as the change is refused.
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
    const { apiUrl, buildingId } = connection
    await sendTo('/api/v1/accounts', { email: 'carl@example.com', roles: ['manager'] })
    const { id } = await sendTo('/api/service-desk/requests', { buildingId, title: 'A leak' })
    await page.goto(`${apiUrl}/requests/${id}`)
    await heading(page, 'A leak').waitFor()
    const picker = page.getByRole('combobox', { name: 'Assign to' })
    await picker.fill('carl')
    await page.getByRole('option', { name: 'carl@example.com' }).click()
    await button('Assign').click()
    await page.getByRole('definition').filter({ hasText: 'carl@example.com' }).waitFor()
    await expectAccessible(page)
    const stored = await sendTo(`/api/service-desk/requests/${id}`)
    const { data } = await sendTo('/api/v1/people')
    const carl = data.find(({ email }: { email: string }) => email === 'carl@example.com')
    expect(stored.assignedUserId).toBe(carl.id)
    ann.expectNoErrors()
  })
})
