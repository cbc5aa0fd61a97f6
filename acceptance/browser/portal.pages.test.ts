import * as oauth from 'openid-client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { requestCode, toolClient } from '../system/device-login.ts'
import { api, type Developer, newDeveloper, operator, systemUrl } from '../system/shared.ts'
import { expectAccessible, openBrowser, signIn, type Visit } from './browser.ts'

const KEY = /svc_[0-9A-Za-z]{46}/
const DAY_MS = 86_400_000

let browser: Awaited<ReturnType<typeof openBrowser>>
let developer: Developer
let visit: Visit
let page: Page
let password: string

beforeAll(async () => {
  ;[browser, developer] = await Promise.all([openBrowser(), newDeveloper()])
  visit = await browser.visit({
    permissions: ['clipboard-read', 'clipboard-write'],
    ignore: [
      /ERR_INTERNET_DISCONNECTED/,
      /status of 429/,
      /status of 409 .*accounts/,
      /status of 404 .*sbx_/,
      // A console whose account or sandbox is removed may try to renew its token once more.
      /status of 400 .*\/realms\/sandboxes\/token/,
    ],
  })
  page = visit.page
})
afterAll(() => browser.close())

const button = (name: string | RegExp) => page.getByRole('button', { name })
const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })
const goTo = (name: string) => page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name }).click()
/** The same person on another machine. */
let other: Visit
/** Another user, who views the building while the owner changes the sandbox. */
let guest: Visit
const guestHeading = (name: string | RegExp) => guest.page.getByRole('heading', { level: 1, name })

/** Simulates that the window of the tab gets the focus again. The page then reads its data again. */
const comeBack = (tab = page) => tab.evaluate(() => void dispatchEvent(new Event('focus')))
/** The text of the focused element, or its tag name. */
const focused = () => page.evaluate(() => document.activeElement!.textContent || document.activeElement!.tagName)
const rowWith = (text: string) => page.getByRole('row').filter({ hasText: text })

/** The tests follow one person. Each test continues where the previous one ended. */
describe('the portal', () => {
  it('[PRT-01] is served at / of the control plane, redirects to sign-in and then back to the page', async () => {
    await page.goto(`${systemUrl}/keys?from=a-link`)
    await page.waitForURL(/\/realms\/developers\//)
    expect(await page.content()).not.toContain('API keys')
    password = await signIn(page, { email: developer.email, password: developer.oneTimePassword! })
    await heading('API keys').waitFor()
    expect(page.url()).toBe(`${systemUrl}/keys?from=a-link`)
    await page.goto(systemUrl)
    await heading('Sandboxes').waitFor()
    expect(await page.title()).toBe('Sandboxes · Storey portal')
    expect(await page.evaluate(() => Object.keys({ ...localStorage, ...sessionStorage }))).not.toContain('access_token')
    await expectAccessible(page)
  })

  it('[PRT-02] previews the building, creates it, and shows the progress', async () => {
    await page.goto(systemUrl)
    await page.getByRole('link', { name: 'New sandbox' }).click()
    await button('Create sandbox').click()
    await page.getByText('Enter a name with at least one letter or digit').waitFor()
    await page.getByLabel('Name').fill('Harbour\u202e tower')
    await page.getByText('The text contains invisible characters').waitFor()
    // The name has two spaces, which HTML would collapse.
    await page.getByLabel('Name').fill('Harbour  tower')
    await page.getByRole('spinbutton', { name: 'Storeys' }).fill('2')
    await page.getByRole('spinbutton', { name: 'Rooms per storey, maximum' }).fill('12')
    await page.getByRole('spinbutton', { name: 'History' }).fill('1')
    const plan = page.getByRole('img', { name: /^Plan of Ground storey/ })
    await plan.waitFor()
    await page.getByRole('spinbutton', { name: 'Storeys' }).fill('51')
    await page.getByText('The preview shows the last valid values').waitFor()
    await expectAccessible(page)
    await page.getByRole('spinbutton', { name: 'Storeys' }).fill('2')
    await page.getByText('The preview shows the last').waitFor({ state: 'detached' })
    await page.locator('.preview[aria-busy="false"]').waitFor()
    const figures = page.locator('.figures')
    await expect.poll(() => figures.textContent()).toContain('Storeys2')
    const drawn = await plan.locator('polygon').count()
    await page.getByRole('tab', { name: 'Room list' }).click()
    // The numbers are equal, because the plan has one more shape (the storey) and the table one more row (the header).
    expect(await page.getByRole('row').count()).toBe(drawn)
    await expectAccessible(page)
    const fingerprint = await page.getByText(/^sha256:/).textContent()

    await button('Create sandbox').click()
    await heading('Harbour tower').waitFor()
    await page.getByRole('progressbar').waitFor()
    await page.getByText('Matches the sandbox').waitFor({ timeout: 60_000 })
    expect(await page.getByText(/^sha256:/).textContent()).toBe(fingerprint)
    const { json } = await api(developer.key, '/api/v1/sandboxes')
    expect(json.data).toMatchObject([{ name: 'Harbour  tower', storeys: 2, status: 'ready', fingerprint }])
    await expectAccessible(page)
  })

  it('[PRT-02] extends a sandbox within the allowed limit, and resets it', async () => {
    await button('Extend').click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused()).toBe('Extend')
    await button('Extend').click()
    const days = page.getByRole('spinbutton', { name: 'Days to add' })
    await days.fill('31')
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).isEnabled()).toBe(false)
    await days.fill('3')
    await days.press('Enter')
    await page.getByText('1 extension left.').waitFor()
    await expect.poll(focused).toBe('Extend')

    const { sandboxId, apiUrl } = (await api(developer.key, '/api/v1/sandboxes')).json.data[0]
    const email = 'guest@example.com'
    const account = await api(developer.key, `/api/v1/sandboxes/${sandboxId}/accounts`, {
      body: { email, roles: ['manager'] },
    })
    // Requests in flight fail when the stack stops.
    guest = await browser.visit({ ignore: [/WebSocket|Failed to load resource/] })
    await guest.page.goto(apiUrl)
    await signIn(guest.page, { email, password: account.json.oneTimePassword })
    await guest.page.getByRole('status').filter({ hasText: 'Live' }).waitFor()

    const resetShown = guestHeading('This sandbox is being reset').waitFor()
    await button('Reset').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('progressbar').waitFor()
    // The Reset button is disabled now, so the focus moves to the first button of its section.
    await expect.poll(focused).toBe('Extend')
    // After a failed poll the page polls again.
    await visit.context.setOffline(true)
    const alert = page.getByRole('alert').filter({ hasText: 'cannot be reached' })
    await alert.waitFor()
    const sections = page.getByRole('navigation', { name: 'Sandbox pages' })
    expect((await alert.boundingBox())!.y).toBeLessThan((await sections.boundingBox())!.y)
    await visit.context.setOffline(false)
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await resetShown
    await page.getByText('Ready').waitFor({ timeout: 60_000 })
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Open' }).waitFor()
    await guest.page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await guestHeading(/./).waitFor()
    expect(await guestHeading('This sandbox is being reset').count()).toBe(0)
    const { json } = await api(developer.key, '/api/v1/sandboxes')
    expect(json.data[0].extensionsRemaining).toBe(1)
    expect(Math.round((Date.parse(json.data[0].expiresAt) - Date.parse(json.data[0].createdAt)) / DAY_MS)).toBe(17)
  })

  it('[PRT-09, IDN-41] opens the console signed in, from its sign-in page and by a button', async () => {
    const { sandboxId, apiUrl } = (await api(developer.key, '/api/v1/sandboxes')).json.data[0]
    // Uses a new tab, because the console opens in the tab of the portal.
    const tab = await visit.context.newPage()
    await tab.goto(apiUrl)
    await tab.getByText('Accounts of this sandbox sign in here.').waitFor()
    await expectAccessible(tab)
    await tab.getByRole('link', { name: 'from the portal' }).click()
    await tab.waitForURL(`${apiUrl}/**`)
    await tab.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await tab.goto(`${systemUrl}/sandboxes/${sandboxId}/console?path=/sandbox/nothing`)
    await tab.waitForURL(`${apiUrl}/sandbox/nothing`)
    await tab.goto(`${systemUrl}/sandboxes/${sandboxId}`)
    await tab.getByRole('link', { name: 'Open console' }).click()
    await tab.waitForURL(`${apiUrl}/**`)
    await tab.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await tab.close()
    // The owner's account can be removed like any other.
    const accounts = `/api/v1/sandboxes/${sandboxId}/accounts`
    const owner = (await api(developer.key, accounts)).json.data.find(
      ({ email }: { email: string }) => email === developer.email,
    )
    expect((await api(developer.key, `${accounts}/${owner.id}`, { method: 'DELETE' })).status).toBe(204)
  })

  it('has snippets for connecting, with the token hidden until it is requested', async () => {
    await page.getByRole('link', { name: 'Connect' }).click()
    await page.getByText(/svc sandbox connect sbx_/).waitFor()
    await page.getByRole('tab', { name: 'Environment' }).click()
    const lines = page.getByText(/export SVC_API_URL/)
    expect(await lines.textContent()).toContain('SVC_API_TOKEN=•')
    await button('Show token').click()
    const token = /SVC_API_TOKEN=(\S+)/.exec((await lines.textContent())!)![1]!
    const { json } = await api(developer.key, '/api/v1/sandboxes')
    expect((await api(token, '/api/v1/sandboxes')).status).toBe(401)
    const { json: connection } = await api(developer.key, `/api/v1/sandboxes/${json.data[0].sandboxId}/connection`)
    expect(token.split('.')).toHaveLength(3)
    expect(connection.apiUrl).toBe(/SVC_API_URL=(\S+)/.exec((await lines.textContent())!)![1])
    await expectAccessible(page)
  })

  it('[PRT-07] creates and removes an account and a service account, and shows each secret once', async () => {
    await page.getByRole('link', { name: 'Accounts' }).click()
    await button('Add account').click()
    await page.getByLabel('Email').fill('Guest@example.com')
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('An account with this email already exists').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('One-time password').waitFor()
    expect(await page.locator('.st-secret code').textContent()).toMatch(/\S{8,}/)
    await expectAccessible(page)
    await button('I have copied it').click()
    await button('Add service account').click()
    await page.getByLabel('Name').fill('Meter gateway')
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Client secret').waitFor()
    const [clientId, secret, tokenUrl, apiUrl] = await page
      .getByRole('dialog')
      .locator('.st-secret code')
      .allTextContents()
    const granted = await call(tokenUrl!, {
      headers: {
        authorization: `Basic ${btoa(`${clientId}:${secret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    const used = await call(`${apiUrl}/api/v1/buildings`, { token: granted.json.access_token })
    expect(used.status).toBe(200)
    await button('I have copied it').click()
    const { json } = await api(developer.key, '/api/v1/sandboxes')
    const membersOf = async (kind: string) =>
      (await api(developer.key, `/api/v1/sandboxes/${json.data[0].sandboxId}/${kind}`)).json.data
    expect(await membersOf('accounts')).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ email: 'ann@example.com', roles: ['user'] })]),
    )
    expect(await membersOf('service-accounts')).toMatchObject([{ name: 'Meter gateway', roles: ['user'] }])
    // Creates an account through the API, as another person might while the page is open.
    await api(developer.key, `/api/v1/sandboxes/${json.data[0].sandboxId}/accounts`, {
      body: { email: 'eve@example.com', roles: ['user'] },
    })
    await comeBack()
    await rowWith('eve@example.com').waitFor()
    // Changes the roles of an account that the page shows: its removal has to be confirmed again.
    const { token } = (await api(developer.key, `/api/v1/sandboxes/${json.data[0].sandboxId}/connection`)).json
    const ann = (await membersOf('accounts')).find(({ email }: { email: string }) => email === 'ann@example.com')
    const path = `${apiUrl}/api/v1/accounts/${ann.id}`
    expect((await call(path, { token, method: 'PATCH', body: { roles: ['manager'] } })).status).toBe(200)
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Remove' })
    await button('Remove: ann@example.com').click()
    await confirm.click()
    await page.getByRole('alert').filter({ hasText: 'Somebody else has changed this' }).waitFor()
    await rowWith('ann@example.com').getByText('Manager').waitFor()
    expect((await membersOf('accounts')).map(({ id }: { id: string }) => id)).toContain(ann.id)
    await confirm.click()
    await rowWith('ann@example.com').waitFor({ state: 'detached' })
    for (const name of ['guest@example.com', 'eve@example.com', 'Meter gateway']) {
      await button(`Remove: ${name}`).click()
      await confirm.click()
      await rowWith(name).waitFor({ state: 'detached' })
    }
    await page.getByText('No accounts yet').waitFor()
    await expect.poll(focused).toBe('Add service account')
    expect([await membersOf('accounts'), await membersOf('service-accounts')]).toEqual([[], []])
  })

  it('[PRT-03, PRT-04, PRT-05] creates a key for 90 days, shows its text once, lists and revokes it', async () => {
    await goTo('API keys')
    await button('Create key').click()
    await page.getByLabel('Label').fill('Lobby display')
    expect(await page.getByRole('spinbutton', { name: 'Expires in' }).inputValue()).toBe('90')
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const text = page.locator('.st-secret code')
    await text.waitFor()
    const key = (await text.textContent())!
    expect(key).toMatch(KEY)
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).first().click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape')
    expect(await text.isVisible()).toBe(true)
    // The user agent closes the dialog, as with the back gesture of a phone.
    await page.evaluate("document.querySelector('dialog').close()")
    await expect.poll(() => text.isVisible()).toBe(true)
    expect((await api(key, '/api/v1/sandboxes')).status).toBe(200)
    await button('I have copied it').click()

    await page.reload()
    const row = rowWith('Lobby display')
    await row.waitFor()
    expect(await page.content()).not.toMatch(KEY)
    for (const shown of ['Sandbox', 'Active', /in 90 days/]) expect(await row.textContent()).toMatch(shown)
    await button('Revoke: Lobby display').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('Revoked').waitFor()
    expect((await api(key, '/api/v1/sandboxes')).status).toBe(401)
    await expectAccessible(page)
  })

  it('[PRT-06] shows the audit log, filters it by key and action, and shows the chosen number of rows', async () => {
    await page.getByRole('link', { name: 'Audit log: Lobby display' }).click()
    await heading('Audit log').waitFor()
    await rowWith('Key created with scope sandbox').waitFor()
    await rowWith('Key revoked').waitFor()
    // The audit log shows the use of a key within a second.
    await expect
      .poll(async () => {
        await button('Refresh').click()
        return rowWith('the key was revoked').count()
      })
      .toBe(1)
    await page.getByLabel('Action').selectOption('Created')
    await rowWith('Key revoked').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    const asked = page.waitForRequest(/\/keys\/audit\?/)
    await page.getByLabel('Rows per page').selectOption('25')
    const { searchParams } = new URL((await asked).url())
    expect(Object.fromEntries(searchParams)).toMatchObject({
      limit: '25',
      action: 'key.issued',
      keyId: expect.stringMatching(/^key_/),
    })
    await rowWith('Key created with scope sandbox').waitFor()
    await expectAccessible(page)

    const limited = {
      status: 429,
      title: 'Too many requests',
      detail: 'Wait',
      code: 'RATE_LIMITED',
      type: 'about:blank',
    }
    await page.route(
      '**/keys/audit?*',
      (route) =>
        route.fulfill({
          status: 429,
          headers: { 'retry-after': '2', 'content-type': 'application/problem+json' },
          body: JSON.stringify(limited),
        }),
      { times: 1 },
    )
    await button('Refresh').click()
    await page.getByText(/Too many requests\. Retrying in [12] s/).waitFor()
    await expectAccessible(page)
    await page.getByText('Too many requests').waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').count()).toBe(0)

    await page.goto(`${systemUrl}/audit?action=key.unknown&limit=25&outcome=denied`)
    await page.getByText(/ignored: action=key.unknown, outcome=denied$/).waitFor()
    await button('Remove from the link').click()
    await page.getByText(/ignored/).waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${systemUrl}/audit?limit=25`)
  })

  it('shows the cached list immediately after going back, and updates it when the response arrives', async () => {
    await goTo('Sandboxes')
    await rowWith('Harbour tower').waitFor()
    await goTo('API keys')
    await heading('API keys').waitFor()
    const pending = Promise.withResolvers<void>()
    const list = /\/api\/v1\/sandboxes\?/
    await page.route(list, async (route) => {
      await pending.promise
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replace('Harbour  tower', 'Renamed') })
    })
    await goTo('Sandboxes')
    await rowWith('Harbour tower').waitFor()
    pending.resolve()
    await rowWith('Renamed').waitFor()
    await page.unroute(list)
    const shown = async () => {
      await comeBack()
      return await rowWith('Harbour tower').count()
    }
    await expect.poll(shown).toBe(1)
  })

  it('[PRT-02] deletes a sandbox after its name is typed', async () => {
    await goTo('Sandboxes')
    await page.getByRole('link', { name: 'Harbour tower', exact: true }).click()
    await heading('Harbour tower').waitFor()
    const second = await visit.context.newPage()
    await second.goto(`${page.url()}/connect`)
    await second.getByText(/svc sandbox connect sbx_/).waitFor()
    await page.bringToFront()
    await button('Delete').click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' })
    expect(await confirm.isEnabled()).toBe(false)
    await page.getByLabel('Type Harbour tower to confirm').fill('Harbour tower')
    await confirm.click()
    await page.getByText('No sandboxes yet').waitFor()
    expect((await api(developer.key, '/api/v1/sandboxes')).json.total).toBe(0)
    await comeBack(second)
    await second.getByRole('heading', { level: 1, name: 'Sandbox not found' }).waitFor()
    await second.close()
    await guestHeading('This sandbox no longer exists').waitFor()
    await expectAccessible(guest.page)
    expect(await guest.page.getByRole('link', { name: 'Go to the portal' }).getAttribute('href')).toBe(systemUrl)
    guest.expectNoErrors()
    await guest.close()
  })

  it('signs in a duplicated tab separately, and keeps the session of the first tab', async () => {
    const opened = visit.context.waitForEvent('page')
    await page.evaluate(`void open('/audit')`)
    const second = await opened
    await second.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    const tokens = await Promise.all(
      [page, second].map((tab) => tab.evaluate(() => sessionStorage.getItem('storey.session.svc-portal'))),
    )
    expect(new Set(tokens).size).toBe(2)
    await page.reload()
    await heading('Sandboxes').waitFor()
    await second.close()
  })

  it('keeps the chosen dark theme and Russian language', async () => {
    await button(/^Account/).click()
    await button('Dark').click()
    await button('Русский').click()
    await page.reload()
    await heading('Песочницы').waitFor()
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark')
    await expectAccessible(page)
    await page.goto(`${systemUrl}/nowhere/at/all`)
    await heading('Страница не найдена').waitFor()
  })

  it('signs out, and requires sign-in again', async () => {
    await button(/^Учётная запись/).click()
    await button('Выйти').click()
    await heading('Вы вышли').waitFor()
    expect(page.url()).toBe(`${systemUrl}/`)
    const asked = page.getByLabel('Пароль', { exact: true })
    await page.goBack()
    await asked.waitFor()
    await expectAccessible(page)
    await page.goto(systemUrl)
    await asked.waitFor()
    await page.reload()
    await asked.waitFor()
  })

  it('caused no error in the log of the browser', () => visit.expectNoErrors())

  it('shows that the key limit is reached, and what to do when another key is refused', async () => {
    const session = await operator('session', developer.email)
    for (let n = 1; n <= 5; n++) await api(session, '/api/v1/keys', { body: { label: `Key ${n}` } })
    other = await browser.visit({ ignore: [/429/, /status of 400 .*\/token/] })
    await other.page.goto(`${systemUrl}/keys`)
    await signIn(other.page, { email: developer.email, password })
    await other.page.getByText(/and 5 is the maximum/).waitFor()
    await other.page.getByRole('button', { name: 'Create key' }).click()
    await other.page.getByLabel('Label').fill('One too many')
    await other.page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const refusal = other.page.getByRole('alert')
    await refusal.waitFor()
    for (const text of ['QUOTA_EXCEEDED', 'Delete or revoke what you no longer use'])
      expect(await refusal.textContent()).toContain(text)
    await expectAccessible(other.page)
    other.expectNoErrors()
  })

  it('reports that the session has expired, keeps the typed text, and returns to the same page', async () => {
    const { page } = other
    const token = await page.evaluate(
      () => JSON.parse(sessionStorage.getItem('storey.session.svc-portal')!).refreshToken as string,
    )
    const body = new URLSearchParams({ client_id: 'svc-portal', token })
    expect((await fetch(`${systemUrl}/realms/developers/revoke`, { method: 'POST', body })).status).toBe(200)
    // The page polls when the user returns to the tab. Its next regular poll would be too late for this test.
    const polled = page.waitForResponse(/\/keys\?/)
    await comeBack(page)
    await polled
    await page.clock.setFixedTime(Date.now() + 15 * 60_000)
    const form = page.getByRole('dialog', { name: 'Create key' })
    const notice = page.getByRole('dialog', { name: 'Your session has ended' })
    await form.getByRole('button', { name: 'Create key' }).click()
    await notice.waitFor()
    await expectAccessible(page)
    await notice.getByRole('button', { name: 'Stay on this page' }).click()
    expect(await page.getByLabel('Label').inputValue()).toBe('One too many')
    expect(await page.getByRole('alert').allTextContents()).toEqual([expect.stringContaining('Your session has ended')])
    await form.getByRole('button', { name: 'Create key' }).click()
    await notice.getByRole('button', { name: 'Sign in again' }).click()
    await page.getByText(/and 5 is the maximum/).waitFor()
    expect([page.url(), await notice.count()]).toEqual([`${systemUrl}/keys`, 0])
    other.expectNoErrors()
    await other.close()
  })

  it('[PRT-08] passes the code of a command-line login to the realm, which asks for approval', async () => {
    const config = await toolClient()
    const device = await requestCode(config)
    const other = await browser.visit()
    await other.page.goto(`${systemUrl}/device?user_code=bbbb-bbbb`)
    await other.page.getByRole('button', { name: 'Continue' }).click()
    await other.page.getByText('This code does not exist').waitFor()
    await expectAccessible(other.page)
    await other.page.goto(`${systemUrl}/device`)
    await other.page.getByLabel('Code').fill(device.user_code.toLowerCase().replace('-', ''))
    await expectAccessible(other.page)
    await other.page.getByRole('button', { name: 'Continue' }).click()
    await other.page.waitForURL(/\/realms\/developers\/device/)
    await other.page.getByRole('button', { name: 'Continue' }).click()
    await other.page.getByRole('button', { name: 'Allow' }).click()
    await signIn(other.page, { email: developer.email, password })
    await other.page.getByText('The device is connected').waitFor()
    const tokens = await oauth.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:device_code', {
      device_code: device.device_code,
    })
    expect((await api(tokens.access_token, '/api/v1/sandboxes')).status).toBe(200)
    other.expectNoErrors()
  })
})
