import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join, resolve } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { snippetsOf } from '../../packages/portal/src/connect/snippets.ts'
import { approve, LINK } from '../cli/approve.ts'
import { newHome } from '../cli/tool.ts'
import { type Answer, call } from '../system/call.ts'
import { api, type Developer, newDeveloper, systemUrl } from '../system/shared.ts'
import { type Block, blocksOf, titleOf } from './blocks.ts'
import { DOCUMENTS } from './documents.ts'
import { reasonAgainst, unusedEntries } from './not-run.ts'
import { runProgram, type Scope } from './programs.ts'
import { openShell, type Shell } from './shell.ts'
import { pathWithCurl } from './with-curl.ts'
import { withoutPackages } from './without-packages.ts'

const SHELL = ['sh', 'bash']
const PROGRAM = ['js', 'ts']
const PROBLEM = /urn:storey:problem:/

const home = newHome()
/** A folder with links to the files of the clone, in which commands may write. */
const folder = temporaryFolder('storey-documents')
const clone = join(folder, 'storey')
const scope: Scope = {}
let developer: Developer
let shell: Shell
let receiver: Server
const received: string[] = []
let hookPort: number
let connection: Answer['json']
let sandboxId: string

const at = (path: string, options = {}) => call(connection.apiUrl + path, { token: connection.token, ...options })
const inBuilding = (path: string, options = {}) => at(`/api/v1/buildings/${connection.buildingId}/${path}`, options)
const points = async () => (await inBuilding('points?limit=1000')).json.data
const observe = async (value: string) => {
  const [{ id: pointId }] = await points()
  expect((await inBuilding('telemetry/observations', { body: { observations: [{ pointId, value }] } })).status).toBe(
    202,
  )
}

/** Connects later blocks to the sandbox of this name, which an earlier block has created. */
async function connectTo(name: string): Promise<void> {
  const { json } = await api(developer.key, '/api/v1/sandboxes')
  sandboxId = json.data.find((sandbox: { name: string }) => sandbox.name === name).sandboxId
  connection = (await api(developer.key, `/api/v1/sandboxes/${sandboxId}/connection`)).json
  const { apiUrl, token, buildingId } = connection
  const env = { SVC_API_URL: apiUrl, SVC_API_TOKEN: token, SVC_BUILDING_ID: buildingId }
  Object.assign(scope, { token, buildingId, slug: new URL(apiUrl).hostname.split('.')[0], process: { env } })
}

/** Replaces the default port, and the placeholders for values that differ between readers. */
async function filled(text: string): Promise<string> {
  const ported = text
    .replaceAll('localhost:4000', new URL(systemUrl).host)
    .replaceAll('localhost:7000', `localhost:${hookPort}`)
  if (!/<\w+>/.test(ported)) return ported
  const values: Record<string, string> = {
    slug: new URL(connection.apiUrl).hostname.split('.')[0]!,
    pointId: (await points())[0].id,
  }
  return ported.replaceAll(/<(\w+)>/g, (whole, name) => values[name] ?? whole)
}

const printed = () => (scope.printed as string[]).join('\n')

/**
 * Checks of the output or the effect of blocks, by the first characters of the block. Other blocks must only succeed.
 */
const CHECKS: Record<string, (output: string) => Promise<void> | void> = {
  'alias svc=': async (output) => {
    expect(output).toContain('Signed in')
    expect(output).toContain('My first mall is ready.')
    await connectTo('My first mall')
  },
  'svc login': async (output) => {
    expect(output).toContain('My first office is ready.')
    await connectTo('My first office')
  },
  "svc api 'points": async (output) => {
    expect(output).toMatch(/^[0-9a-f-]{36}\t/m)
    await expect.poll(() => received.length).toBeGreaterThan(0)
  },
  'svc api storeys': (output) => {
    expect(output).toMatch(/^[0-9a-f-]{36}\tL00\t/m)
    expect(output).toMatch(/^[0-9a-f-]{36}\t.*temperature/im)
    expect(output).toMatch(/unchanged for \d+ (h|d): /)
  },
  'eval "$(svc sandbox connect)"\nB="$SVC_API_URL/api/v1/buildings/$SVC_BUILDING_ID" T="Authorization: Bearer $SVC_API_TOKEN" J=':
    (output) => {
      expect(output).toContain('"areaSqm"')
      expect(output).toContain('"aggregation":"avg"')
    },
  'curl "$B/fault-rules"': async (output) => {
    expect(output).toContain('"accepted":1')
    await expect
      .poll(async () => (await inBuilding('faults?state=open')).json.data.map(({ title }: { title: string }) => title))
      .toContainEqual(expect.stringContaining('above 30 °C'))
  },
  ROOM: (output) => expect(output).toContain('"matched":1'),
  'curl "$B/simulation"': (output) => {
    expect(output).toContain('"running":true')
    expect(output).toContain('"state":"open"')
  },
  'svc module create': async (output) => {
    expect(output).toContain('svc commands in this folder use the sandbox My first mall.')
    expect(output).toContain('Occupancy board is installed.')
    expect((await at('/api/v1/registry/modules/occupancy-board')).json).toMatchObject({ compatible: true })
    expect(output).toContain('This address signs you in once')
  },
  "printf '%s\\n' '{\"pointId\"": (output) => expect(output).toContain('"accepted":2'),
  'STOREY=$(svc api storeys': (output) => expect(output).toMatch(/"values":\[[^\]]*\d/),
  'curl "$B/spaces"': (output) => expect(output).toContain('"created":3'),
  'curl "$B/import/ifc?replace=true"': async (output) => {
    expect(output).toMatch(/succeeded\n2\t5$/m)
    const { json } = await inBuilding('storeys')
    expect(json.data.map(({ name }: { name: string }) => name)).toEqual(['Ground floor', 'Upper floor'])
  },
}

/** Checks of programs, by a line that they contain. */
const PROGRAM_CHECKS: Record<string, (output: string) => Promise<void> | void> = {
  'for await (const space of platform.building(': (output) => expect(output.split('\n').length).toBeGreaterThan(50),
  'disconnected for too long': async () => {
    await observe('40')
    await expect.poll(printed).toMatch(/values/)
    expect(printed()).toContain('live')
  },
  'if (answer.ok) last': async () => {
    const socket = scope.socket as { connected: boolean; once(name: string, done: (event: unknown) => void): void }
    await expect.poll(() => socket.connected).toBe(true)
    const event = new Promise((done) => socket.once('building.point.updated', done))
    await expect.poll(() => observe('20')).toBeUndefined()
    expect(await event).toMatchObject({ buildingId: connection.buildingId })
  },
  'sandboxes.waitWhileProvisioning': (output) => {
    expect(output).toMatch(/^L0\d-R\d+ /m)
    expect(output).toMatch(/^\S+ is occupied by 12$/m)
  },
  "code: 'L01'": (output) => expect(output).toBe('code is already used'),
}

const checkOf = (text: string) => Object.entries(CHECKS).find(([begins]) => text.startsWith(begins))?.[1]

async function runBlock(block: Block): Promise<void> {
  const text = await filled(block.text)
  if (block.language === 'json') return void JSON.parse(text)
  let output = ''
  if (SHELL.includes(block.language)) output = await shell.run(withoutPackages(text))
  else if (PROGRAM.includes(block.language)) output = await runProgram(text, scope)
  else if (block.language === 'python') output = python(text)
  else throw new Error(`${titleOf(block)}: no way to run ${block.language || 'a block without a language'}`)
  expect(output).not.toMatch(PROBLEM)
  await checkOf(block.text)?.(output)
  for (const [line, check] of Object.entries(PROGRAM_CHECKS)) if (block.text.includes(line)) await check(output)
}

const python = (text: string) =>
  execFileSync('python3', ['-c', `slug, token = '${scope.slug}', '${scope.token}'\n${text}\nprint(buildings)`], {
    encoding: 'utf8',
  })

beforeAll(async () => {
  mkdirSync(clone)
  for (const name of ['scripts', 'examples', 'packages']) symlinkSync(resolve(name), join(clone, name))
  developer = await newDeveloper()
  receiver = createServer((request, response) => {
    received.push(String(request.headers['x-svc-signature']))
    request.resume().on('end', () => response.end())
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  hookPort = (receiver.address() as { port: number }).port
  // The link that was approved last. Each login prints a new link.
  let approved = ''
  shell = openShell(clone, { ...home, PATH: pathWithCurl(folder), SVC_SANDBOX_API_URL: systemUrl }, (output) => {
    const link = LINK.exec(output)?.[0]
    if (link === undefined || link === approved) return
    const isFirst = approved === ''
    approved = link
    approve(link, developer, isFirst)
  })
})

afterAll(async () => {
  shell.close()
  for (const name of ['live', 'changes', 'socket']) (scope[name] as { close?(): void } | undefined)?.close?.()
  receiver.close()
  for (const sandbox of (await api(developer.key, '/api/v1/sandboxes')).json.data)
    await api(developer.key, `/api/v1/sandboxes/${sandbox.sandboxId}`, { method: 'DELETE' })
})

function runsAll(document: string): void {
  for (const block of blocksOf(document)) {
    const reason = reasonAgainst(block)
    if (reason === undefined) it(`[DOC-01] ${titleOf(block)}`, () => runBlock(block))
  }
}

it('[DOC-02] the list of blocks that are not run has a reason for each and no unused entry', () => {
  expect(unusedEntries(DOCUMENTS.flatMap(blocksOf))).toEqual([])
})

it('[DOC-03] the documents write <slug> for the slug of a sandbox, and <module> for that of a module, as in /sandbox/<module>', () => {
  for (const document of [...DOCUMENTS, 'docs/operations.md', 'docs/conformance.md']) {
    expect(readFileSync(document, 'utf8'), document).not.toMatch(/sandbox\/<slug>|module create <slug>/)
  }
})

describe('README.md', () => {
  runsAll('README.md')
})

describe('packages/cli/README.md', () => {
  runsAll('packages/cli/README.md')
})

describe('docs/addresses.md', () => {
  runsAll('docs/addresses.md')
  it('[DOC-01] reads the buildings', async () => {
    expect(((await (scope.response as Response).json()) as Answer['json']).data[0].id).toBe(connection.buildingId)
  })
})

describe('docs/telemetry.md', () => {
  runsAll('docs/telemetry.md')
})

describe('docs/events.md', () => {
  const reloaded: string[] = []
  beforeAll(() => {
    Object.assign(scope, { reloadEverything: () => undefined, readAgain: (kind: string) => reloaded.push(kind) })
  })
  runsAll('docs/events.md')
  it('[DOC-01] verifies a signature', () => {
    const { isGenuine } = scope as { isGenuine(raw: string, signature: string, secret: string): boolean }
    const signature = createHmac('sha256', 'secret').update('body').digest('hex')
    expect([isGenuine('body', signature, 'secret'), isGenuine('other', signature, 'secret')]).toEqual([true, false])
  })
  it('[DOC-01] reads what changed', async () => {
    await expect.poll(() => reloaded).toContain('faults')
  })
})

describe('the snippets of the portal', () => {
  const snippets = () => Object.entries(snippetsOf({ sandboxId, serviceUrl: systemUrl, connection }))
  it.each(['cli', 'environment', 'curl', 'path'])('[DOC-01] run without an error: %s', async (name) => {
    const text = snippets().find(([found]) => found === name)![1]!
    const output = await shell.run(text)
    expect(output).not.toMatch(PROBLEM)
    if (name === 'path') expect(output).toContain(connection.buildingId)
    if (name === 'curl') expect(output).toContain('"timestamp"')
  })
  it('[DOC-01] run without an error: sdk', async () => {
    const text = snippets().find(([found]) => found === 'sdk')![1]!
    expect(await runProgram(text, scope)).toMatch(/^L0\d-R\d+ /m)
  })
  it('[DOC-02] only the MQTT snippet is not run, because it needs a client', () => {
    expect(
      snippets()
        .map(([name]) => name)
        .sort(),
    ).toEqual(['cli', 'curl', 'environment', 'mqtt', 'path', 'sdk'])
  })
})

describe('packages/sdk/README.md', () => {
  beforeAll(() => {
    scope.process = { env: { SVC_API_TOKEN: developer.key, WEBHOOK_SECRET: 'secret' } }
  })
  runsAll('packages/sdk/README.md')
  it('[DOC-01] refuses a webhook with a wrong signature', async () => {
    const { receive } = scope as { receive(body: string, headers: object): Promise<{ status: number }> }
    expect(await receive('{}', { 'x-svc-signature': '00' })).toMatchObject({ status: 400 })
  })
})
