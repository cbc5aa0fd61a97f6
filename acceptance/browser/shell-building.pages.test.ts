import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, call } from '../system/call.ts'
import { signedIn } from '../system/service-accounts.ts'
import { operator } from '../system/shared.ts'
import { expectAccessible, signIn, type Visit } from './browser.ts'
import { type Person, useConsole } from './console.ts'

type Node = { id: string; name: string; code: string }
type Graph = {
  storeys: (Node & { index: number })[]
  spaces: (Node & { storeyId: string })[]
  elements: (Node & { spaceId: string | null })[]
  points: (Node & { elementId: string; quantityKind: string })[]
}

/** The parts of the DOM that the tests use. */
interface Shown {
  dataset: Record<string, string | undefined>
  firstElementChild: Shown
  children: readonly Shown[]
  textContent: string
}
interface Screen {
  document: { activeElement: Shown; documentElement: { lang: string } }
  getComputedStyle(element: object): { backgroundColor: string; fill: string }
}

/** What the test of the select element uses. */
interface PickedOption {
  clientWidth: number
  selectedOptions: readonly { text: string }[]
}
interface Picker {
  document: { createElement(tag: 'canvas'): { getContext(kind: '2d'): Drawing } }
  getComputedStyle(element: object): { font: string; paddingLeft: string; paddingRight: string }
}
interface Drawing {
  font: string
  measureText(text: string): { width: number }
}

/** The fill of a room whose value is not in the legend, in the light theme. */
const PLAIN = '#fbfcfc'

/** Converts `rgb(18, 52, 86)` to the hex form that legends use. */
const hexOf = (color: string): string =>
  `#${(color.match(/\d+/g) ?? []).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`

describe('the building in the shell', () => {
  const building = { name: 'Plan', storeys: 2, spacesMin: 16, spacesMax: 20, seedTelemetryDays: 1, seed: 'plan' }
  const { connection, visit: newVisit, newAccount } = useConsole(building)
  const elsewhere = useConsole({ name: 'Elsewhere' })
  let visit: Visit
  let page: Page
  let graph: Graph
  let account: Person
  let colleague: Person
  let outsider: Person & { token: string }
  const requests: string[] = []
  let bearer: string | undefined

  const platform = (path: string, options: { method?: string; body?: unknown } = {}): Promise<Answer> =>
    call(`${connection.apiUrl}/api/v1/buildings/${connection.buildingId}${path}`, {
      token: connection.token,
      ...options,
    })
  const ground = () => graph.storeys.find(({ index }) => index === 0)!
  const rooms = () => graph.spaces.filter(({ storeyId }) => storeyId === ground().id)
  const room = (id: string) => page.locator(`[data-room="${id}"]`)
  const looks = async () => {
    const seen = await page.locator('[data-room]').evaluateAll((found) => {
      const { getComputedStyle } = globalThis as unknown as Screen
      const drawn = found as unknown as Shown[]
      return drawn.map((one) => [one.dataset.room!, getComputedStyle(one.firstElementChild).fill] as const)
    })
    return Object.fromEntries(seen.map(([id, fill]) => [id, hexOf(fill)]))
  }
  const legend = async () => {
    const lines = page.getByRole('region', { name: 'Legend' }).getByRole('listitem')
    const seen = await lines.evaluateAll((found) => {
      const { getComputedStyle } = globalThis as unknown as Screen
      return (found as unknown as Shown[]).map(({ children: [swatch, label] }) => ({
        label: label!.textContent,
        color: getComputedStyle(swatch!).backgroundColor,
      }))
    })
    return seen.map(({ label, color }) => ({ label, color: hexOf(color) }))
  }

  beforeAll(async () => {
    graph = (await platform('/graph')).json
    account = await newAccount('anna@plan.example')
    colleague = await newAccount('carla@plan.example')
    const { key, sandboxId } = elsewhere.sandbox
    outsider = {
      ...(await elsewhere.newAccount('boris@elsewhere.example')),
      token: await signedIn(key, sandboxId, 'manager'),
    }
    visit = await newVisit()
    page = visit.page
    page.on('request', (request) => {
      const { pathname, origin } = new URL(request.url())
      if (origin !== connection.apiUrl || !/^\/(api|socket)/.test(pathname)) return
      requests.push(pathname)
      bearer = request.headers().authorization ?? bearer
    })
  })

  it('[SHL-01] has its page at / and leaves /api and /socket to the API', async () => {
    const html = { accept: 'text/html' }
    const page = await call(`${connection.apiUrl}/`, { headers: html })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const refused = await call(`${connection.apiUrl}/api/v1/buildings`, { headers: html })
    expect([refused.status, refused.json.code]).toEqual([401, 'UNAUTHENTICATED'])
    for (const path of ['/socket.io/', '/socket/']) {
      const handshake = await call(`${connection.apiUrl}${path}?EIO=4&transport=polling`, { headers: html })
      expect([handshake.status, handshake.text.slice(0, 8)]).toEqual([200, '0{"sid":'])
    }
  })

  it('[SHL-02, SHL-18] redirects to the sandboxes realm before it requests data of the building', async () => {
    await page.goto(`${connection.apiUrl}/?colour=type`)
    await page.waitForURL(/\/realms\/sandboxes\//)
    expect(requests).toEqual([])
    account.password = await signIn(page, account)
    await page.getByRole('heading', { name: ground().name }).waitFor()
    // An address from the time when the plan was at / opens the plan.
    expect(page.url()).toBe(`${connection.apiUrl}/plan?colour=type`)
    await page.getByText('Live', { exact: true }).waitFor()
    expect(Object.keys(await looks()).toSorted()).toEqual(
      rooms()
        .map(({ id }) => id)
        .toSorted(),
    )
    await expectAccessible(page)
  })

  it('reports that nobody is signed in after a cancelled sign-in, and offers another try', async () => {
    const other = await newVisit()
    await other.page.goto(`${connection.apiUrl}/plan`)
    await other.page.getByRole('button', { name: 'Cancel' }).click()
    await other.page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
    expect(await other.page.locator('main').textContent()).not.toContain('denied')
    await expectAccessible(other.page)
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.waitForURL(/\/realms\/sandboxes\//)
    other.expectNoErrors()
    await other.close()
  })

  it('[SHL-03] shows nothing to an account of another tenant', async () => {
    const theirs = await newVisit({ ignore: [/status of 40[03]/] })
    await theirs.page.goto(connection.apiUrl)
    await theirs.page.getByLabel('Email').fill(outsider.email)
    await theirs.page.getByLabel('Password', { exact: true }).fill(outsider.password)
    await theirs.page.getByRole('button', { name: 'Sign in' }).click()
    await theirs.page.getByText('The email or the password is wrong').waitFor()

    // From here on all requests of the page have the outsider's token, as an external provider might issue it.
    await theirs.page.route('**/api/**', (route, request) =>
      route.continue({ headers: { ...request.headers(), authorization: `Bearer ${outsider.token}` } }),
    )
    await signIn(theirs.page, account)
    await theirs.page.getByRole('heading', { name: 'You do not have access to this building' }).waitFor()
    const shown = await theirs.page.locator('body').textContent()
    const { json: building } = await platform('')
    for (const { name } of [building, ...graph.storeys, ...graph.spaces]) expect(shown).not.toContain(name)
    expect(await theirs.page.locator('[data-room]').count()).toBe(0)
    await expectAccessible(theirs.page)
    theirs.expectNoErrors()
    await theirs.close()
  })

  it('[SHL-40] shows that the sandbox is suspended, and continues when it is resumed', async () => {
    const guest = await elsewhere.visitAs({ email: 'guest@example.com', ignore: [/status of 40[03]/, /WebSocket/] })
    const heading = (name: string) => guest.page.getByRole('heading', { level: 1, name })
    const live = guest.page.getByText('Live', { exact: true })
    await live.waitFor()
    await operator('sandbox', 'suspend', elsewhere.sandbox.sandboxId)
    await heading('This sandbox is suspended').waitFor()
    await expectAccessible(guest.page)
    await guest.page.reload()
    await heading('This sandbox is suspended').waitFor()
    await operator('sandbox', 'resume', elsewhere.sandbox.sandboxId)
    await live.waitFor()
    guest.expectNoErrors()
    await guest.close()
  })

  it('[SHL-16] colours the plan by a layer, with the colours of the current legend', async () => {
    const words = 'apple banana cherry damson elder fig grape hazel iris juniper kale lemon'.split(' ')
    const values = Object.fromEntries(graph.spaces.map(({ id }, i) => [id, words[i % words.length]!]))
    const { json: layer } = await platform('/data-layers', { body: { key: 'fruit', name: 'Fruit', valueType: 'ENUM' } })
    await platform(`/data-layers/${layer.id}/values`, { method: 'PUT', body: { keyBy: 'id', values } })
    await page.goto(`${connection.apiUrl}/plan?colour=layer:fruit`)
    await page.getByRole('heading', { name: 'Fruit' }).waitFor()

    const inForce = (await platform(`/data-layers/${layer.id}/legend`)).json
    type Entry = { value?: string; label: string; color: string }
    const entries: Entry[] = inForce.entries
    expect(entries.at(-1)!.label).toBe('прочее (2)')
    expect(await legend()).toEqual(entries.map(({ label, color }) => ({ label, color })))
    const colourOf = (id: string) => (entries.find(({ value }) => value === values[id]) ?? entries.at(-1)!).color
    expect(await looks()).toEqual(Object.fromEntries(rooms().map(({ id }) => [id, colourOf(id)])))
    await expect.poll(() => room(rooms()[0]!.id).getAttribute('aria-label')).toContain(values[rooms()[0]!.id])

    const explicit = [{ value: 'apple', label: 'An apple a day', color: '#123456' }]
    const [first] = rooms()
    values[first!.id] = values[first!.id] === 'apple' ? 'banana' : 'apple'
    await platform(`/data-layers/${layer.id}`, { method: 'PATCH', body: { legend: explicit } })
    const upload = { keyBy: 'id', values: { [first!.id]: values[first!.id] } }
    await platform(`/data-layers/${layer.id}/values`, { method: 'PUT', body: upload })
    // An open page shows the change without a reload.
    await page.getByRole('region', { name: 'Legend' }).getByText('An apple a day').waitFor()
    const expected = rooms().map(({ id }) => [id, values[id] === 'apple' ? '#123456' : PLAIN])
    await expect.poll(looks).toEqual(Object.fromEntries(expected))
    const plain = rooms().filter(({ id }) => values[id] !== 'apple').length
    expect(await page.locator('li', { hasText: 'Not in the legend' }).getAttribute('data-count')).toBe(String(plain))

    const { json: other } = await platform('/data-layers', { body: { key: 'load', name: 'Load', valueType: 'NUMBER' } })
    const loads = Object.fromEntries(graph.spaces.map(({ id }, i) => [id, i]))
    await platform(`/data-layers/${other.id}/values`, { method: 'PUT', body: { keyBy: 'id', values: loads } })
    await page.goto(`${connection.apiUrl}/plan?colour=layer:load`)
    await page.getByRole('heading', { name: 'Load' }).waitFor()
    await page.getByLabel('Colour by').selectOption({ label: 'Fruit' })
    await page.getByRole('region', { name: 'Legend' }).getByText('An apple a day').waitFor()
    await platform(`/data-layers/${layer.id}`, { method: 'DELETE' })
    await page.getByText('Layer or value “Fruit” not found.').waitFor()
    expect(await page.getByLabel('Colour by').locator('option:checked').textContent()).toBe('Zone temperature, °C')
  })

  it('falls back to defaults when the address names unknown things', async () => {
    await page.goto(`${connection.apiUrl}/plan?colour=live:nope&storey=nope&room=nope&view=nope`)
    for (const kind of ['Storey', 'Room', 'Layer or value']) await page.getByText(`${kind} “nope” not found`).waitFor()
    await page.getByRole('heading', { level: 1, name: ground().name }).waitFor()
    await page.getByRole('heading', { name: 'Zone temperature, °C' }).waitFor()
    expect(await page.getByLabel('Colour by').locator('option:checked').textContent()).toBe('Zone temperature, °C')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'OK', exact: true }).click()
    expect(new URL(page.url()).search).toBe('?view=nope')
    await page.getByText('not found').waitFor({ state: 'detached' })
  })

  it('[SHL-31, SHL-32] requests each thing once when a page is loaded, and draws the plan before the latest values arrive', async () => {
    // The page reads the state of the simulation again when the simulation starts, so the test waits for that.
    await expect.poll(async () => (await platform('/simulation')).json.running, { timeout: 20_000 }).toBe(true)
    requests.length = 0
    let release: () => void
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const rest = /\/(graph|telemetry\/latest)$/
    await page.route(rest, async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${connection.apiUrl}/plan`)
    await page.getByRole('heading', { level: 1, name: ground().name }).waitFor()
    await expect.poll(() => page.locator('[data-room]').count()).toBe(rooms().length)
    release!()
    await page.getByLabel('Colour by').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    await page.unroute(rest)
    expect(await page.locator('[data-room]').count()).toBe(rooms().length)
    const read = requests.filter((path) => path.startsWith('/api/'))
    expect(read.slice(0, 2).map((path) => path.split('/').pop())).toEqual(['storeys', 'spaces'])
    expect(read).toContain(`/api/v1/buildings/${connection.buildingId}/graph`)
    expect(read).toEqual([...new Set(read)])
    // A caller may send 100 requests a minute by default.
    expect(read.length).toBeLessThanOrEqual(10)
  })

  it('[SHL-17] shows a posted observation on the plan without a reload', async () => {
    await page.goto(`${connection.apiUrl}/plan`)
    await page.getByLabel('Colour by').selectOption({ label: 'Zone temperature, °C' })
    await page.getByText('Live', { exact: true }).waitFor()
    await page.evaluate(() => Object.assign(globalThis, { neverReloaded: true }))
    const here = new Set(rooms().map(({ id }) => id))
    const spaceOf = (point: Graph['points'][number]) => graph.elements.find(({ id }) => id === point.elementId)!.spaceId
    const point = graph.points.find((one) => one.name === 'Zone temperature' && here.has(spaceOf(one) ?? ''))!
    const colour = (await looks())[spaceOf(point)!]
    // The page must also show this change of the graph: the end of this test waits for the new name.
    const renamed = rooms().at(-1)!
    renamed.name = 'Corner room'
    await platform(`/spaces/${renamed.id}`, { method: 'PATCH', body: { name: renamed.name } })
    for (const value of ['31.7', '12.3']) {
      await platform('/telemetry/observations', { body: { observations: [{ pointId: point.id, value }] } })
      await expect.poll(() => room(spaceOf(point)!).getAttribute('aria-label')).toContain(`${value} °C`)
      expect((await looks())[spaceOf(point)!]).not.toBe(colour)
    }
    await platform('/telemetry/observations', { body: { observations: [{ pointId: point.id, value: 'broken' }] } })
    const label = () => room(spaceOf(point)!).getAttribute('aria-label')
    await expect.poll(label).toContain('Zone temperature: broken')
    expect(await label()).not.toContain('broken °C')
    await platform('/telemetry/observations', { body: { observations: [{ pointId: point.id, value: '12.3' }] } })
    await expect.poll(() => page.locator(`[data-label="${spaceOf(point)}"]`).textContent()).toContain('12.3')

    const alarm = graph.points.find((one) => one.name === 'Smoke alarm' && here.has(spaceOf(one) ?? ''))!
    await platform('/telemetry/observations', { body: { observations: [{ pointId: alarm.id, value: '1' }] } })
    await expect.poll(() => room(spaceOf(alarm)!).getAttribute('aria-label')).toContain('Fault: Alarm: Smoke alarm')
    await expect.poll(() => room(renamed.id).getAttribute('aria-label')).toMatch(new RegExp(`^${renamed.name},`))
    expect(await page.evaluate(() => 'neverReloaded' in globalThis)).toBe(true)

    await page.getByRole('button', { name: 'Table' }).click()
    const row = page.getByRole('row', { name: rooms().find(({ id }) => id === spaceOf(point))!.name, exact: false })
    await expect.poll(() => row.first().textContent()).toContain('12.3')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
  })

  it('can be used by keyboard: arrow keys move between rooms, Enter opens a room, Escape closes it', async () => {
    await page.locator('[data-room][tabindex="0"]').focus()
    const visited = new Set<string>()
    const focused = () => page.evaluate(() => (globalThis as unknown as Screen).document.activeElement.dataset.room!)
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft']) {
      await page.keyboard.press(key)
      visited.add(await focused())
    }
    const focusedLast = await focused()
    expect(visited.size).toBeGreaterThan(2)
    const here = rooms().find(({ id }) => id === focusedLast)!
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary')
    await panel.getByRole('heading', { level: 2 }).waitFor()
    expect(await panel.getAttribute('aria-label')).toBe(here.name)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
  })

  it('finds a room by its code, and shows its equipment, live values and chart', async () => {
    const point = graph.points.find(({ name }) => name === 'Zone temperature')!
    const element = graph.elements.find(({ id }) => id === point.elementId)!
    const space = graph.spaces.find(({ id }) => id === element.spaceId)!
    await page.keyboard.press('/')
    await page.keyboard.type(space.code.toLowerCase())
    // Clicks the option, because Enter may open another one while the results are still updating. Looks for it in the
    // list of results, because the rooms of the plan are options too.
    const results = page.getByRole('listbox', { name: 'Results' })
    await results.getByRole('option', { name: space.name }).first().click()
    await page.getByRole('heading', { level: 1, name: space.name }).waitFor()
    await page.getByRole('link', { name: element.name }).first().waitFor()
    await page.locator('canvas').waitFor()
    const value = page.locator(`[data-point="${point.id}"]`).first()
    await platform('/telemetry/observations', { body: { observations: [{ pointId: point.id, value: '19.25' }] } })
    await expect.poll(() => value.textContent()).toBe('19.3\u00a0°C')
    await expectAccessible(page)

    // Zooms from a month to single readings and back, by keyboard, by buttons and by mouse.
    await page.getByRole('button', { name: '30 days' }).click()
    const averages = page.getByText('averages over 1 hour')
    const readings = page.getByText(/· \d+ readings?/)
    await averages.waitFor()
    await page
      .getByRole('group')
      .filter({ has: page.locator('canvas') })
      .focus()
    for (let i = 0; i < 5; i++) await page.keyboard.press('+')
    await readings.waitFor()
    await page.keyboard.press('-')
    await averages.waitFor()
    await page.keyboard.press('0')
    await page.getByRole('button', { name: 'Zoom in' }).click({ clickCount: 5 })
    await readings.waitFor()
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await averages.waitFor()
    await page.getByRole('button', { name: 'Whole range' }).click()
    const { x, y, width } = (await page.locator('canvas').boundingBox())!
    await page.mouse.move(x + width * 0.95, y + 100)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.98, y + 100, { steps: 3 })
    await page.mouse.up()
    await readings.waitFor()
    await page.mouse.dblclick(x + width / 2, y + 100)
    await averages.waitFor()
    await page.getByRole('button', { name: 'Table' }).click()
    await page
      .getByRole('table')
      .filter({ has: page.getByRole('columnheader', { name: 'Time' }) })
      .waitFor()
    await page.goto(`${connection.apiUrl}/points/${point.id}`)
    await page.getByRole('heading', { level: 1, name: 'Zone temperature' }).waitFor()
    await page.locator('canvas').waitFor()
    await page.getByRole('button', { name: 'Table' }).click()
    await platform('/telemetry/observations', { body: { observations: [{ pointId: point.id, value: '27.25' }] } })
    await page
      .getByRole('row')
      .nth(1)
      .getByText(/^27\.3\s°C$/)
      .waitFor()
    await page.getByRole('button', { name: 'Chart', exact: true }).click()
    await page.locator('canvas').waitFor()
    await expectAccessible(page)
  })

  it('shows the same rooms to a colleague', async () => {
    // Uses another account: each may send a hundred requests a minute, and the first account has sent almost as many.
    visit.expectNoErrors()
    await visit.close()
    visit = await newVisit()
    page = visit.page
    page.on('request', (request) => {
      bearer = request.headers().authorization ?? bearer
    })
    await page.goto(`${connection.apiUrl}/plan`)
    await signIn(page, colleague)
    await page.locator('[data-room]').first().waitFor()
    expect(Object.keys(await looks()).toSorted()).toEqual(
      rooms()
        .map(({ id }) => id)
        .toSorted(),
    )
  })

  it('shows a long storey code in one line beside the name, and hides a code that equals the name', async () => {
    const { id, code, name } = ground()
    const rename = (code: string) => platform(`/storeys/${id}`, { method: 'PATCH', body: { code } })
    const line = page.getByRole('navigation', { name: 'Storeys' }).getByRole('link', { name })
    const boxOf = async (part: string) => (await line.locator(part).first().boundingBox())!
    expect((await rename('Ground floor of the east wing')).status).toBe(200)
    await page.goto(`${connection.apiUrl}/plan`)
    await line.locator('code', { hasText: 'east wing' }).waitFor()
    const [codeBox, nameBox] = [await boxOf('code'), await boxOf('span[title]')]
    expect(codeBox.x + codeBox.width).toBeLessThanOrEqual(nameBox.x)
    expect(codeBox.height).toBeLessThan(2 * nameBox.height)
    await rename(name)
    await expect.poll(() => line.locator('code').count()).toBe(0)
    await rename(code)
    await line.locator('code', { hasText: code }).waitFor()
  })

  it('keeps the chosen Russian language and dark theme', async () => {
    await page.goto(`${connection.apiUrl}/plan`)
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('button', { name: 'Русский' }).click()
    await page.getByRole('button', { name: 'Тёмная' }).click()
    await page.reload()
    await page.getByLabel('Раскраска').waitFor()
    await page.getByText('На связи').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Нулевой этаж' }).waitFor()
    await page.locator('option', { hasText: 'Температура зоны, °C' }).waitFor({ state: 'attached' })
    expect(await page.evaluate(() => (globalThis as unknown as Screen).document.documentElement.lang)).toBe('ru')
    const ground = await page.evaluate(() => {
      const { document, getComputedStyle } = globalThis as unknown as Screen
      return getComputedStyle(document.documentElement).backgroundColor
    })
    expect(ground).toBe('rgb(15, 19, 21)')
    await expectAccessible(page)

    // The name of the chosen value fits into the select element even while the panel of a room takes part of the width.
    await page.setViewportSize({ width: 1024, height: 768 })
    await page.locator('[data-room]').first().click()
    await page.getByRole('complementary').waitFor()
    const [needed, given] = await page.getByLabel('Раскраска').evaluate((element) => {
      const { document, getComputedStyle } = globalThis as unknown as Picker
      const select = element as unknown as PickedOption
      const { font, paddingLeft, paddingRight } = getComputedStyle(select)
      const drawing = document.createElement('canvas').getContext('2d')
      drawing.font = font
      const { width } = drawing.measureText(select.selectedOptions[0]!.text)
      return [width, select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)] as const
    })
    expect(needed).toBeLessThanOrEqual(given)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('[SHL-10] never writes an access token into the storage of the browser', async () => {
    const token = bearer!.replace('Bearer ', '')
    const stores = await page.evaluate(() => [{ ...localStorage }, { ...sessionStorage }])
    expect(stores.flatMap(Object.keys)).not.toContain('access_token')
    expect(token.length).toBeGreaterThan(100)
    expect(JSON.stringify(stores)).not.toContain(token)
  })

  it('reports that a page, a room, a point or an element does not exist', async () => {
    await page.goto(`${connection.apiUrl}/nowhere`)
    for (const path of ['/nowhere', '/rooms/none', '/points/none', '/elements/none']) {
      // Navigates like the Back button, because loading each page would exceed the rate limit.
      await page.evaluate((to) => {
        history.pushState(null, '', to)
        dispatchEvent(new Event('popstate'))
      }, path)
      await page.getByRole('link', { name: 'К зданию' }).last().waitFor()
    }
    visit.expectNoErrors()
  })
})
