import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { expectAccessible, signIn, type Visit } from './browser.ts'
import { onPage, useConsole } from './console.ts'
import { type Answer, container, type Remote, script, serveRemote } from './module-remote.ts'
import { type BuiltModule, exampleModule, TEMPLATE_SLUG, templateModule } from './template-module.ts'

/** A module that prints what it gets from the shell. */
const PROBE = container(`() => {
  const platform = sdk.usePlatform()
  const { data } = sdk.useBuilding()
  const { client, live, getToken, ...facts } = platform
  return h('main', null,
    h('h1', null, data ? data.name : '…'),
    h('output', null, JSON.stringify({ ...facts, live: live ? live.status : 'none' })))
}`)
const showing = (text: string) => container(`() => h('h1', null, ${JSON.stringify(text)})`)

const ENTRIES: Record<string, Answer> = {
  probe: PROBE,
  first: showing('The first build'),
  second: showing('The second build'),
  'dev-server': script('import "/@vite/client"; export const get = 1'),
  'not-a-script': [200, 'text/html', '<!doctype html><title>A page</title>'],
  'bad-syntax': script('export const = 5'),
  'in-trouble': [500, 'text/plain', 'no space left'],
  'no-container': script('export const answer = 42'),
  'other-name': script(`export const init = () => {}
    export const get = async (name) => { throw new Error('Module ' + name + ' does not exist in container.') }`),
  'no-component': script('export const init = () => {}; export const get = async () => () => ({ helper: 1 })'),
  'throws-loading': script('throw new Error("this cannot be loaded")'),
  // Renders nothing at first, and later the text that the test passes.
  'draws-nothing': container(`() => h('div', { ref: (div) => { globalThis.addText = (text) => div.append(text) } })`),
  // Contains a federation name in the form that the federation plugin generates.
  'another-build': container(`() => h('h1', null, '__mfe_internal__air_board__mf_owner__'.slice(16, 25))`),
  'never-comes': script('export const init = () => {}; export const get = () => new Promise(() => {})'),
  'throws-rendering': container(`() => { throw new Error('this cannot be drawn') }`),
}
interface Box {
  scrollWidth: number
  parentElement: { clientWidth: number }
}

const entryPath = (name: string) => `/${name}/assets/remoteEntry.js`
const find = (path: string): Answer | undefined => ENTRIES[path.split('/')[1]!]

const { connection, visit: newVisit, visitAs, newAccount, send } = useConsole()
let visit: Visit
let page: Page
const { heading } = onPage(() => page)
let remote: Remote
let closed: Remote
let buildingName: string
let template: Promise<BuiltModule>
/** The number of requests to the remote before the sign-in, when the modules of the remote are already installed. */
let requestsBeforeSignIn: number

/**
 * Errors in the log of the browser that the tests cause: by broken remotes, by a module that does not exist, and by
 * opening so many pages within a minute that the caller's rate limit is reached, after which the shell tries again.
 */
const EXPECTED = [
  /^Failed to load resource: the server responded with a status of 429 \(Too Many Requests\) /,
  /^Failed to load resource: net::ERR_(CONNECTION_REFUSED|FAILED) \(http:\/\/localhost:\d+\/(assets|shut)\/remoteEntry\.js\?t=\d+\)$/,
  /^Failed to load resource: the server responded with a status of 404 \(Not Found\) \(http:\/\/localhost:\d+\/(@vite\/client|gone\/assets\/remoteEntry\.js\?t=\d+)\)$/,
  /^Failed to load resource: the server responded with a status of 500 \(Internal Server Error\) \(http:\/\/localhost:\d+\/in-trouble\/assets\/remoteEntry\.js\?t=\d+\)$/,
  /^Access to fetch at 'http:\/\/localhost:\d+\/(assets|shut)\/remoteEntry\.js\?t=\d+' from origin '[^']+' has been blocked by CORS policy/,
  /^Failed to load resource: the server responded with a status of 404 \(Not Found\) \(http:\/\/[^/]+\/api\/v1\/registry\/modules\/no-such-module\)$/,
  /^Connecting to 'http:\/\/192\.0\.2\.7\/remoteEntry\.js' violates the following Content Security Policy directive: "connect-src /,
  /Error: (this cannot be drawn|this cannot be loaded)\n/,
]

async function install(slug: string, remoteEntryUrl: string, sdkVersion = '1.14.0') {
  const manifest = { slug, name: slug.replaceAll('-', ' '), version: '0.1.0', sdkVersion }
  const body = { manifest, remoteEntryUrl }
  const { status } = await call(`${connection.apiUrl}/api/v1/registry/modules/ingest`, {
    token: connection.token,
    body,
  })
  expect([200, 201]).toContain(status)
}
/** Reads the output of the probe module. */
const probed = async () => JSON.parse((await page.locator('output').textContent())!)
const open = (slug: string) => page.goto(`${connection.apiUrl}/sandbox/${slug}`)
/** Navigates without a page load, because each load reads the building again and the account has a rate limit. */
const navigateTo = async (slug: string) => {
  await page.getByRole('navigation').getByRole('link', { name: 'Modules' }).click()
  await page.getByRole('link', { name: `Open ${slug.replaceAll('-', ' ')}`, exact: true }).click()
}

beforeAll(async () => {
  template = templateModule()
  template.catch(() => undefined)
  buildingName = (await send('')).name
  remote = await serveRemote(find)
  closed = await serveRemote(() => PROBE, { isOpen: false })
  for (const name of Object.keys(ENTRIES)) await install(name, remote.origin + entryPath(name))

  visit = await newVisit({ ignore: EXPECTED })
  page = visit.page
  await open('probe')
  await page.getByLabel('Email').waitFor()
  requestsBeforeSignIn = remote.requests.length
  await signIn(page, await newAccount('ulla@example.com', 'user'))
})

afterAll(async () => {
  await Promise.all([remote?.close(), closed?.close()])
  await template.catch(() => undefined)
})

describe('a module in the shell', () => {
  it('[SHL-04] [SHL-05] is loaded as its registry row describes, after sign-in and without a licence', async () => {
    expect(requestsBeforeSignIn).toBe(0)
    await heading(buildingName).waitFor()
    const facts = await probed()
    expect(facts).toMatchObject({
      apiUrl: connection.apiUrl,
      buildingId: connection.buildingId,
      organizationId: connection.organizationId,
      moduleSlug: 'probe',
      user: { email: 'ulla@example.com' },
      locale: 'en',
      theme: 'light',
    })
    await expect.poll(async () => (await probed()).live).toBe('live')
    const licenses = await call(`${connection.apiUrl}/api/v1/licenses`, { token: connection.token })
    expect(licenses.json.total).toBe(0)
    expect(await page.title()).toContain('probe')
    expect(await page.getByRole('main').count()).toBe(1)
  })

  it('[SHL-10] gets its token through the context, and finds none in the browser storage', async () => {
    const { token } = await probed()
    expect((await call(`${connection.apiUrl}/api/v1/buildings`, { token })).status).toBe(200)
    const kept = await page.evaluate<[string, string][]>(
      '[...Object.entries(localStorage), ...Object.entries(sessionStorage)]',
    )
    expect(kept.map(([name]) => name)).not.toContain('access_token')
    expect(kept.filter(([, text]) => text.includes(token))).toEqual([])
  })

  it('[SHL-11] is replaced by another install without a rebuild of the shell', async () => {
    await install('changing', remote.origin + entryPath('first'))
    await open('changing')
    await heading('The first build').waitFor()
    await install('changing', remote.origin + entryPath('second'))
    await page.getByRole('link', { name: 'Modules', exact: true }).click()
    await page.getByRole('link', { name: 'Open changing' }).click()
    await heading('The second build').waitFor()
    // The module has no main element, so the shell provides one.
    expect(await page.getByRole('main').count()).toBe(1)
  })

  it('[SHL-12] is not loaded when its SDK version is incompatible, and the page names both versions', async () => {
    const before = remote.requests.length
    await install('too-new', remote.origin + entryPath('probe'), '2.1.0')
    await open('too-new')
    await heading('too new is not compatible with this platform').waitFor()
    const text = await page.getByRole('main').textContent()
    expect(text).toContain('SDK 2.1.0')
    expect(text).toContain('1.14.0')
    expect(remote.requests).toHaveLength(before)
    await expectAccessible(page)
  })

  it('[SHL-06] [SHL-08] is not loaded from another host, even if its row names one', async () => {
    const row = await call(`${connection.apiUrl}/api/v1/registry/modules/probe`, { token: connection.token })
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).hostname === '192.0.2.7') elsewhere.push(request.url())
    })
    const forged = { ...row.json, remoteEntryUrl: 'http://192.0.2.7:6001/assets/remoteEntry.js' }
    const address = '**/api/v1/registry/modules/probe'
    await page.route(address, (route) => route.fulfill({ json: forged }))
    await open('probe')
    await heading('The URL is not on your machine').waitFor()
    await page.unroute(address)
    expect(elsewhere).toEqual([])
  })
})

describe('a broken remote', () => {
  it('[SHL-13] a remote that is down: the page reports it, and retry works once the remote is up', async () => {
    const gone = await serveRemote(() => PROBE)
    await gone.close()
    await install('down', `${gone.origin}/assets/remoteEntry.js`)
    await open('down')
    await heading(`${gone.origin} does not respond`).waitFor()
    await expectAccessible(page)
    const up = await serveRemote(() => PROBE, { port: gone.port })
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(buildingName).waitFor()
    await up.close()
  })

  it('[SHL-13] a remote that forbids other origins: the page reports it', async () => {
    await install('closed', `${closed.origin}/assets/remoteEntry.js`)
    await open('closed')
    await heading(`${closed.origin} does not allow this page (CORS)`).waitFor()
    await page.getByText(`SVC_CONSOLE_URL=${connection.apiUrl}`).waitFor()
  })

  it('a remote that redirects: the page reports that it does not follow redirects', async () => {
    const location = 'http://192.0.2.7/remoteEntry.js'
    const server = createServer(({ headers, url }, response) => {
      const cors = url?.startsWith('/open') ? { 'access-control-allow-origin': headers.origin ?? '*' } : {}
      response.writeHead(302, { location, ...cors }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    for (const slug of ['open', 'shut']) {
      await install(`leads-away-${slug}`, `${origin}/${slug}/remoteEntry.js`)
      await open(`leads-away-${slug}`)
      await heading(`${origin} redirects to another URL`).waitFor()
    }
    server.closeAllConnections()
    server.close()
  })

  it('a remote that renders nothing: the page reports it until something is rendered', async () => {
    await navigateTo('draws-nothing')
    await page.getByText('This module is empty').waitFor()
    expect(await page.getByRole('main').count()).toBe(1)
    await expectAccessible(page)
    await page.evaluate(`addText('Rendered')`)
    await page.getByText('This module is empty').waitFor({ state: 'detached' })
  })

  it('a remote that was built under another name: it is shown with a notice', async () => {
    await navigateTo('another-build')
    await heading('air_board').waitFor()
    const name = '.* serves a module that was built as air_board, but the registry expects another_build'
    await page.getByText(new RegExp(name)).waitFor()
  })

  it('a remote that never finishes loading: the page reports that it takes long', async () => {
    await navigateTo('never-comes')
    await page.getByText('This takes longer than expected').waitFor()
    await page.getByRole('button', { name: 'Reload page' }).waitFor()
  })

  it('[SHL-13] a remote that is a development server: the page reports it', async () => {
    await navigateTo('dev-server')
    await heading('This is a development server').waitFor()
  })

  it('a remote that is not a module or fails: each case has its own message', async () => {
    await install('gone', remote.origin + entryPath('gone'))
    const pages: [slug: string, title: string, retry: string][] = [
      ['gone', 'Remote entry not found', 'Try again'],
      ['not-a-script', 'The remote entry is not JavaScript', 'Try again'],
      ['bad-syntax', 'The remote entry has a syntax error', 'Try again'],
      ['in-trouble', `${remote.origin} responded with an error`, 'Try again'],
      ['no-container', 'The script is not a remote entry', 'Reload page'],
      ['other-name', 'The module does not expose ./Shell', 'Reload page'],
      ['no-component', './Shell is not a component', 'Reload page'],
      ['throws-loading', 'throws loading failed to load', 'Reload page'],
      ['throws-rendering', 'throws rendering failed to render', 'Reload page'],
    ]
    for (const [slug, title, retry] of pages) {
      await navigateTo(slug)
      await heading(title).waitFor()
      await page.getByRole('button', { name: retry }).waitFor()
      if (slug.startsWith('throws-')) await page.getByText('npm run build', { exact: true }).waitFor()
      if (slug === 'throws-loading') await page.getByText('this cannot be loaded').waitFor()
    }
    // A failing module does not affect the shell.
    await page.getByRole('link', { name: 'All modules' }).click()
    await heading('Modules').waitFor()
    await expectAccessible(page)
    await open('no-such-module')
    await heading('Module no-such-module not found').waitFor()
    const slug = new URL(connection.apiUrl).hostname.split('.')[0]
    await page.getByText(`svc sandbox install manifest.json --sandbox=${slug}`, { exact: true }).waitFor()
  })
})

describe('the shell around modules', () => {
  // Uses another account: each may send a hundred requests a minute, and the first account has sent most of them.
  beforeAll(async () => {
    visit.expectNoErrors()
    await visit.close()
    visit = await visitAs({ email: 'olaf@example.com', role: 'user', path: '/sandbox/probe', ignore: EXPECTED })
    page = visit.page
    await heading(buildingName).waitFor()
  })

  it('[SHL-07] has a content security policy that allows remote scripts from loopback only', async () => {
    const answer = await page.goto(`${connection.apiUrl}/sandbox`)
    const policy = answer!.headers()['content-security-policy']!
    expect(policy).toContain("script-src 'self' http://localhost:* http://127.0.0.1:*;")
    expect(policy).not.toContain('unsafe')
    const other = await newVisit({ ignore: [/Content Security Policy/] })
    await other.page.goto(`${connection.apiUrl}/config.json`)
    const blocked = await other.page.evaluate<string>(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.blockedURI))
      const element = document.createElement('script')
      element.src = 'https://example.com/module.js'
      document.head.append(element)
    })`)
    expect(blocked).toContain('https://example.com/')
    await other.close()
  })

  it('[SHL-09] has no module route when the configuration disables it', async () => {
    const config = (await call(`${connection.apiUrl}/config.json`)).json
    await page.route('**/config.json', (route) => route.fulfill({ json: { ...config, moduleRoute: 'off' } }))
    await open('probe')
    await heading('Page not found').waitFor()
    await page.getByText('The operator of this platform does not allow modules').waitFor()
    expect(await page.getByRole('link', { name: 'Modules', exact: true }).count()).toBe(0)
    await page.unroute('**/config.json')
  })

  it('[SHL-04] shows the module of `svc module create` in the dark theme, with data of the building', async () => {
    const built = await (await template).serve()
    await install(TEMPLATE_SLUG, `${built.origin}/assets/remoteEntry.js`)
    await page.emulateMedia({ colorScheme: 'dark' })
    await open(TEMPLATE_SLUG)
    await heading(buildingName).waitFor()
    const first = page.locator('[data-theme=dark] li').first()
    await first.waitFor()
    const [point] = (await send('/points?pointType=SENSOR&limit=1')).data
    const element = await send(`/elements/${point.elementId}`)
    await first.getByText(element.name, { exact: true }).waitFor()
    // The module's stylesheet was loaded too.
    const width = "getComputedStyle(document.querySelector('[data-module] main')).maxWidth"
    expect(await page.evaluate<string>(width)).not.toBe('none')
    await built.close()
  })

  it('[SHL-04] shows the example module, which updates live', async () => {
    const building = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
    const post = (path: string, body: object) => call(building + path, { token: connection.token, body })
    const { json: storeys } = await call(`${building}/storeys`, { token: connection.token })
    const place = { storeyId: storeys.data[0].id, name: 'Aspen', spaceTypeSlug: 'meeting-room', capacity: 8 }
    const { json: space } = await post('/spaces', place)
    const device = { spaceId: space.id, name: 'Counter', elementTypeSlug: 'people-counter' }
    const { json: element } = await post('/elements', device)
    const count = { elementId: element.id, name: 'People', pointType: 'SENSOR', quantityKind: 'Dimensionless' }
    const { json: point } = await post('/points', { ...count, unit: 'NUM' })
    const observe = (value: string) => post('/telemetry/observations', { observations: [{ pointId: point.id, value }] })
    expect((await observe('3')).status).toBe(202)

    const built = await exampleModule('occupancy-board')
    const board = await built.serve()
    await install('occupancy-board', `${board.origin}/assets/remoteEntry.js`)
    await page.emulateMedia({ colorScheme: 'light' })
    await open('occupancy-board')
    const row = page.getByRole('row').filter({ hasText: 'Aspen' })
    await row.getByText('3 of 8').waitFor()
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('main[data-theme=dark]').waitFor()
    await observe('8')
    await row.getByText('Full').waitFor()
    await expectAccessible(page)

    // The generated names are in the language of the page, and the table fits beside the filters.
    await page.setViewportSize({ width: 1024, height: 768 })
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('button', { name: 'Русский' }).click()
    await page
      .getByRole('rowheader', { name: /^Открытый офис / })
      .first()
      .waitFor()
    expect(await page.getByRole('rowheader', { name: /^Open office/ }).count()).toBe(0)
    const table = page.locator('[data-module] table')
    const [width, room] = await table.evaluate((element) => {
      const { scrollWidth, parentElement } = element as unknown as Box
      return [scrollWidth, parentElement.clientWidth] as const
    })
    expect(width).toBeLessThanOrEqual(room)
    await page.getByRole('button', { name: 'English' }).click()
    await page.setViewportSize({ width: 1280, height: 800 })
    await board.close()
  })

  it('[SHL-15] fetches remotes in the browser, never from the server', () => {
    expect(requestsBeforeSignIn).toBe(0)
    const byServer = [...remote.requests, ...closed.requests].filter(
      ({ headers }) => headers['sec-fetch-mode'] === undefined,
    )
    expect(remote.requests.length).toBeGreaterThan(0)
    expect(byServer).toEqual([])
  })

  it('causes no unexpected error in the log of the browser', () => visit.expectNoErrors())
})
