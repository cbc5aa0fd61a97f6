import { afterEach, describe, expect, it } from 'vitest'
import {
  builtEntryText,
  ENTRY,
  PART,
  type RemoteServer,
  type Served,
  SHARES,
  serveGibberish,
  serveRemote,
  sharesText,
  validModule,
} from '../testing/remote-server.ts'
import { checkRemote, type RemoteQuestion } from './remote.ts'

const SHELL = 'http://lab-12345.localhost:4000'
const open: RemoteServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

async function serve(...args: Parameters<typeof serveRemote>): Promise<RemoteServer> {
  const server = await serveRemote(...args)
  open.push(server)
  return server
}

async function ask(remoteEntryUrl: string, more: Partial<RemoteQuestion> = {}) {
  const { checks, react } = await checkRemote({
    remoteEntryUrl,
    federationName: 'air_quality',
    shell: SHELL,
    built: undefined,
    ...more,
  })
  const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]))
  const of = (name: string) => checks.find((check) => check.name === name)!
  return { states, of, react }
}

const files = (entry: Partial<Served>): Record<string, Served> => ({
  ...validModule(),
  [ENTRY]: { body: builtEntryText(), ...entry },
})

const ALL_OK = {
  address: 'ok',
  port: 'ok',
  'remote-entry': 'ok',
  build: 'ok',
  cors: 'ok',
  exposed: 'ok',
  'federation-name': 'ok',
}
const NOT_REACHED = { build: 'skipped', cors: 'skipped', exposed: 'skipped', 'federation-name': 'skipped' }

describe('a remote entry', () => {
  it("passes when it is a build that the shell may read, exposes ./Shell, and has the module's name", async () => {
    const { entry } = await serve(validModule())
    const { states, react } = await ask(entry)
    expect(states).toEqual(ALL_OK)
    expect(react).toEqual({ state: 'shared', requiredVersion: '^19.0.0' })
  })

  it('is also recognized in a build that is not minified', async () => {
    const body = `const exposesMap = {\n  './Shell': async () => import('./Shell-abc.js'),\n};\nconst name = 'air_quality'\nexport async function init() {}\nexport { getExposed as get };`
    const { entry } = await serve(files({ body }))
    expect((await ask(entry)).states).toEqual(ALL_OK)
  })

  it.each([
    'http://192.168.0.7:6001/assets/remoteEntry.js',
    'https://localhost:6001/assets/remoteEntry.js',
    'http://localhost.example.com/assets/remoteEntry.js',
    'http://me:secret@localhost:6001/assets/remoteEntry.js',
    'remoteEntry.js',
  ])('[CLI-36] is not requested at %s, which no shell allows', async (url) => {
    const { states, of } = await ask(url)
    expect(states).toEqual({ address: 'fail', port: 'skipped', 'remote-entry': 'skipped', ...NOT_REACHED })
    expect(of('address').fix).toContain('http://localhost:6001/assets/remoteEntry.js')
  })

  it('[CLI-36] fails on a port where nothing listens', async () => {
    const server = await serveRemote({})
    await server.close()
    const { states, of } = await ask(server.entry)
    expect(states).toEqual({ address: 'ok', port: 'fail', 'remote-entry': 'skipped', ...NOT_REACHED })
    expect(of('port')).toMatchObject({
      found: expect.stringContaining('nothing listens'),
      fix: 'npm run serve:remote',
    })
  })

  it('[CLI-36] fails on a port that another kind of server uses', async () => {
    const server = await serveGibberish()
    open.push(server)
    const { of } = await ask(server.entry)
    expect(of('port')).toMatchObject({ state: 'fail', found: expect.stringContaining('no usable HTTP response') })
    expect(of('port').fix).toContain('lsof -i tcp:')
  })

  it('[CLI-36] fails when the server does not have it: if the module is built, the port counts as used by another program', async () => {
    const { entry } = await serve({})
    const built = await ask(entry, { built: builtEntryText() })
    expect(built.states).toMatchObject({ port: 'fail', 'remote-entry': 'fail' })
    expect(built.of('port').found).toContain('a program other than the server of this module')
    const unbuilt = await ask(entry)
    expect(unbuilt.states).toMatchObject({ port: 'ok', 'remote-entry': 'fail', ...NOT_REACHED })
    expect(unbuilt.of('remote-entry').found).toContain('answers 404')
  })

  it.each([
    ['a page', { type: 'text/html', body: '<!doctype html>' }, 'text/html'],
    ['a redirect', { status: 302, body: '' }, 'answers 302'],
    ['other JavaScript', { body: 'export const a = 1' }, 'not a remote entry of module federation'],
  ])('[CLI-36] fails when its address returns %s', async (_, entry, words) => {
    const server = await serve(files(entry))
    const { states, of } = await ask(server.entry)
    expect(states).toMatchObject({ 'remote-entry': 'fail', ...NOT_REACHED })
    expect(of('remote-entry').found).toContain(words)
  })

  it('[CLI-36] fails when it comes from the dev server, which is detected by the client of Vite or by an import in the entry', async () => {
    const client = await serve({ ...validModule(), '/@vite/client': { body: 'export {}' } })
    expect((await ask(client.entry)).of('build')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('dev server'),
    })
    const body = `import map from "/@id/virtual:mf-exposes:__mfe_internal__air_quality__assets_remoteEntry_js";${builtEntryText()}`
    const imports = await serve(files({ body }))
    expect((await ask(imports.entry)).states).toMatchObject({ build: 'fail', exposed: 'skipped' })
    const missing = await serve({ '/@vite/client': { body: 'export {}' } })
    const { of } = await ask(missing.entry)
    expect(of('remote-entry')).toMatchObject({ state: 'fail', fix: expect.stringContaining('stop the dev server') })
    const built = await ask(missing.entry, { built: builtEntryText() })
    expect(built.states).toMatchObject({ port: 'ok', 'remote-entry': 'fail' })
    expect(built.of('remote-entry').found).toContain("it is Vite's dev server")
  })

  it('[CLI-36] fails when a file of the build is missing', async () => {
    const { [PART]: _, ...others } = validModule()
    const { entry } = await serve(others)
    const { states, of } = await ask(entry)
    expect(states).toEqual({ ...ALL_OK, build: 'fail' })
    expect(of('build').found).toContain('./Shell-abc.js')
  })

  it('[CLI-36] causes a warning when the served build differs from the one in dist', async () => {
    const { entry } = await serve(validModule())
    expect((await ask(entry, { built: builtEntryText() })).states).toEqual(ALL_OK)
    expect((await ask(entry, { built: '/* newer */' })).states).toEqual({ ...ALL_OK, build: 'warn' })
  })

  it('[CLI-36] fails when CORS does not allow a shell to read it, and the result names that shell', async () => {
    const none = await serve(validModule(), () => false)
    expect((await ask(none.entry)).of('cors')).toMatchObject({ state: 'fail', found: expect.stringContaining(SHELL) })
    const far = 'https://lab.sandboxes.example'
    const local = await serve(validModule())
    const { of } = await ask(local.entry, { shell: far })
    expect(of('cors')).toMatchObject({ state: 'fail', found: expect.stringContaining(far) })
    expect(of('cors').fix).toContain('SVC_CONSOLE_URL')
  })

  it('[CLI-36] fails when ./Shell is not exposed, and the result lists what is exposed', async () => {
    const { entry } = await serve(files({ body: builtEntryText('air_quality', './Panel') }))
    const { states, of } = await ask(entry)
    expect(states).toEqual({ ...ALL_OK, exposed: 'fail' })
    expect(of('exposed').found).toContain('./Panel')
  })

  it('[CLI-36] fails when it belongs to another module', async () => {
    const { entry } = await serve(files({ body: builtEntryText('water_meter') }))
    const { states, of } = await ask(entry)
    expect(states).toEqual({ ...NOT_REACHED, address: 'ok', port: 'fail', 'remote-entry': 'skipped' })
    const { found, fix } = of('port')
    expect(found).toMatch(/^the module water_meter runs on port \d+, not this module$/)
    expect(fix).toMatch(/stop that module.*serve:remote -- --port \d+.*--remote-entry=http:\/\/localhost:\d+\/assets/)
    const own = await ask(entry, { built: builtEntryText('air_quality') })
    expect(own.states.port).toBe('fail')
  })

  it('[CLI-36] fails when the build of this project has a wrong federation name', async () => {
    const body = builtEntryText('water_meter')
    const { entry } = await serve(files({ body }))
    const { states, of } = await ask(entry, { built: body })
    expect(states).toEqual({ ...ALL_OK, 'federation-name': 'fail' })
    expect(of('federation-name')).toMatchObject({ found: 'the entry is named water_meter, not air_quality' })
  })

  it('causes a warning when its name cannot be detected', async () => {
    const { entry } = await serve(files({ body: 'var m={"./Shell":async()=>1};export{g as get,i as init};' }))
    const { states, of } = await ask(entry)
    expect(states).toEqual({ ...ALL_OK, 'federation-name': 'warn' })
    expect(of('federation-name').found).toBe('the entry does not contain the name air_quality')
  })

  it('shows how React is shared', async () => {
    const own = await serve({ ...validModule(), [SHARES]: { body: sharesText('') } })
    expect((await ask(own.entry)).react).toEqual({ state: 'own' })
    const { [SHARES]: _, ...others } = validModule()
    const unseen = await serve(others)
    expect((await ask(unseen.entry)).react).toEqual({ state: 'unseen' })
  })
})
