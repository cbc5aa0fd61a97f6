import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { prepareDocument } from '../../packages/reference/src/prepare-document.ts'
import { call } from '../system/call.ts'
import { api, systemUrl } from '../system/shared.ts'
import { expectAccessible, signIn, type Visit, type VisitOptions } from './browser.ts'
import { useConsole } from './console.ts'

const { connection, sandbox, visit: newVisit } = useConsole()

/** Opens the reference, and collects the addresses of other hosts to which the page sends requests. */
async function open(url: string, options: VisitOptions = {}) {
  const visit = await newVisit(options)
  const foreign: string[] = []
  visit.page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (/^http/.test(protocol) && !host.endsWith(new URL(systemUrl).host)) foreign.push(request.url())
  })
  await visit.page.goto(`${url}/docs`)
  return { ...visit, foreign }
}

/** Finds an operation with the search and sends its request. */
async function tryOperation({ page }: Pick<Visit, 'page'>, name: string) {
  await page
    .getByRole('button', { name: /Search/ })
    .first()
    .click()
  await page.getByRole('combobox', { name: 'Enter search query' }).fill(name)
  await page.getByRole('option', { name }).first().click()
  await page.getByRole('heading', { name, exact: true }).waitFor()
  await page
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click()
  await page.getByRole('button', { name: /^Send get request/ }).click()
  await page.getByText('200 OK').waitFor()
  // The response fades in, and until then has too little contrast.
  await page
    .locator('.animate-response-children')
    .first()
    .evaluate((element) => Promise.all(element.getAnimations({ subtree: true }).map(({ finished }) => finished)))
}

describe('[ERR-39] the API reference', () => {
  it('can be searched, and sends requests with the session of the visitor', async () => {
    const visit = await open(systemUrl)
    const { page } = visit
    await page.getByRole('button', { name: 'Sign in to try requests' }).click()
    await signIn(page, { email: sandbox.email, password: sandbox.oneTimePassword! })
    await page.getByText(`Requests are sent as ${sandbox.email}`).waitFor()
    expect(new URL(page.url()).pathname).toBe('/docs')
    await expectAccessible(page)
    await tryOperation(visit, 'List your sandboxes, newest first')
    await page.getByText(`"${sandbox.sandboxId}"`).first().waitFor()
    await expectAccessible(page)
    visit.expectNoErrors()
    expect(visit.foreign).toEqual([])
    await visit.close()
  })

  it('of a sandbox sends requests with a token that the visitor pastes, and shows code for the request', async () => {
    const visit = await open(connection.apiUrl, { colorScheme: 'dark', permissions: [] })
    const { page } = visit
    await page
      .getByRole('textbox', { name: /Bearer Token/ })
      .or(page.getByPlaceholder('Token'))
      .first()
      .fill(connection.token)
    await tryOperation(visit, 'List buildings')
    await page.getByText(`"${connection.buildingId}"`).first().waitFor()
    await page.keyboard.press('Escape')
    for (const [language, code] of [
      ['TypeScript', 'await fetch('],
      ['JavaScript', 'await fetch('],
      ['Python', 'urllib.request.urlopen('],
    ] as const) {
      await page
        .getByRole('button', { name: /Shell Curl|TypeScript|JavaScript/ })
        .first()
        .click()
      await page.getByRole('option', { name: language }).click()
      await page.getByText(code).first().waitFor()
    }
    visit.expectNoErrors()
    expect(visit.foreign).toEqual([])
    await visit.close()
  })

  it('of a sandbox offers the path address as a server, and sends requests for it to the origin of the page', async () => {
    const { pathUrl } = (await api(sandbox.key, `/api/v1/sandboxes/${sandbox.sandboxId}/connection`)).json
    const visit = await open(connection.apiUrl)
    const { page } = visit
    await page.getByPlaceholder('Token').first().fill(connection.token)
    await page.getByRole('button', { name: connection.apiUrl }).first().click()
    await page.getByRole('option', { name: pathUrl }).click()
    await page.getByText('programs that cannot resolve the host name of the sandbox').first().waitFor()
    await tryOperation(visit, 'List buildings')
    await page.getByText(`"${connection.buildingId}"`).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByText(`${pathUrl}/api/v1/buildings`).first().waitFor()
    visit.expectNoErrors()
    expect(visit.foreign).toEqual([])
    await visit.close()
  })

  it('of a sandbox has samples that run as they are copied', async () => {
    const document = (await call(`${connection.apiUrl}/api/v1/openapi.json`)).json
    const { get } = prepareDocument(document).paths!['/api/v1/buildings']!
    const source = get!['x-codeSamples']![0]!.source.replace('YOUR_SECRET_TOKEN', connection.token)
    const code = `${source}\nconsole.log(result.data[0].id)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])
    expect(stdout.trim()).toBe(connection.buildingId)
  })

  it('[ERR-23] is readable without scripts', async () => {
    const visit = await open(connection.apiUrl, { javaScriptEnabled: false })
    await visit.page.getByText('/api/v1/buildings/{buildingId}/spaces', { exact: true }).first().waitFor()
    await visit.close()
  })
})
