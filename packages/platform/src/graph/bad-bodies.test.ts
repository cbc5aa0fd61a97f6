import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NODE_PATHS, type NodePath, nodeBodies } from '../testing/node-bodies.ts'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'

let stack: TestStack
let base: string
let bodies: ReturnType<typeof nodeBodies>

beforeAll(async () => {
  stack = await startTestStack()
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
  bodies = nodeBodies(stack)
})
afterAll(() => stack.close())

const oneOf = (path: NodePath) => `${base}/${path}/${stack.idOf(stack.building[path][0]!.key)}`
const revision = async () => (await stack.get(base)).body.revision as number

/** Expects that create and change refuse the fields, and that nothing is written. */
async function refused(path: NodePath, changes: Record<string, unknown>, pointer: string) {
  const before = await revision()
  const answers = [
    await stack.send('POST', `${base}/${path}`, { ...bodies[path], ...changes }),
    await stack.send('PATCH', oneOf(path), changes),
  ]
  for (const { status, body } of answers) {
    const pointers = (body.errors ?? []).map((error: { pointer: string }) => error.pointer)
    expect({ status, code: body.code, pointer: pointers[0] }).toEqual({
      status: 400,
      code: 'VALIDATION_FAILED',
      pointer,
    })
  }
  expect(await revision()).toBe(before)
}

describe.each(NODE_PATHS)('the API of %s', (path) => {
  it.each([
    ['empty', ''],
    ['a number', 7],
    ['null', null],
    ['a list', ['x']],
    ['with a NUL', 'a\u0000b'],
    ['with a line end', 'a\nb'],
    ['with an escape character', '\u001b[31m'],
    ['with half a pair of surrogates', 'a\ud800b'],
    ['of 10 KB', 'x'.repeat(10_240)],
    ['of 201 characters', 'x'.repeat(201)],
  ])('refuses an invalid name: %s', async (_, name) => refused(path, { name }, '/name'))

  it.each([
    ['empty', ''],
    ['a number', 7],
    ['null', null],
    ['with a NUL', 'a\u0000b'],
    ['of 10 KB', 'x'.repeat(10_240)],
  ])('refuses an invalid code: %s', async (_, code) => refused(path, { code }, '/code'))

  it.each(['id', 'createdAt', 'updatedAt', 'externalIds', 'buildingId', 'colour', 'name '])(
    'refuses the field %j and names it',
    async (name) => refused(path, { [name]: 'x' }, `/${name}`),
  )

  it('accepts and returns names of up to 200 characters in any script', async () => {
    for (const name of ['Ü'.repeat(200), '🏢'.repeat(200), 'قاعة', '"\\\'; drop table nodes; --', '<script>', '%00']) {
      const { status, body } = await stack.send('POST', `${base}/${path}`, { ...bodies[path], name })
      expect({ status, name: body.name }).toEqual({ status: 201, name })
      expect((await stack.get(`${base}/${path}/${body.id}`)).body.name).toBe(name)
    }
  })

  it('refuses a body that is not an object, and an empty patch', async () => {
    const before = await revision()
    for (const [method, url] of [
      ['POST', `${base}/${path}`],
      ['PATCH', oneOf(path)],
    ] as const) {
      for (const body of [[], [{}], {}]) {
        expect((await stack.send(method, url, body)).status, `${method} ${JSON.stringify(body)}`).toBe(400)
      }
    }
    expect(await revision()).toBe(before)
  })

  it.each([
    ['invalid JSON', '{"name":', 400],
    ['a text', '"name"', 400],
    ['null', 'null', 400],
    ['nothing', '', 400],
    ['an object with a __proto__ field', '{"__proto__":{"name":"x"},"name":"x"}', 400],
  ])('refuses %s as a body', async (_, text, status) => {
    const before = await revision()
    const headers = { 'content-type': 'application/json' }
    for (const [method, url] of [
      ['POST', `${base}/${path}`],
      ['PATCH', oneOf(path)],
    ] as const) {
      const answer = await stack.send(method, url, text, undefined, headers)
      expect({ status: answer.status, problem: typeof answer.body.code }).toEqual({ status, problem: 'string' })
    }
    expect(await revision()).toBe(before)
  })

  it('refuses a media type other than JSON, and any query parameter', async () => {
    const text = JSON.stringify(bodies[path])
    const headers = { 'content-type': 'text/plain' }
    expect((await stack.send('POST', `${base}/${path}`, text, undefined, headers)).status).toBe(415)
    expect((await stack.send('POST', `${base}/${path}?dryRun=true`, bodies[path])).body.errors).toMatchObject([
      { pointer: '/dryRun', in: 'query' },
    ])
    expect((await stack.send('PATCH', `${oneOf(path)}?x=1`, { name: 'x' })).status).toBe(400)
    expect((await stack.send('DELETE', `${oneOf(path)}?force=true`)).status).toBe(400)
  })
})

describe('numbers', () => {
  it.each([
    ['storeys', 'index', '1e999'],
    ['storeys', 'elevationM', '1e999'],
    ['storeys', 'elevationM', '-1e999'],
    ['storeys', 'areaSqm', '1e999'],
    ['spaces', 'areaSqm', '1e999'],
    ['spaces', 'capacity', '1e999'],
    ['spaces', 'polygon', '[[0,0],[1,0],[1,1e999]]'],
  ] as const)('of %s must be finite: %s %s', async (path, field, figure) => {
    const before = await revision()
    const headers = { 'content-type': 'application/json' }
    const text = `${JSON.stringify({ ...bodies[path], [field]: undefined }).slice(0, -1)},"${field}":${figure}}`
    for (const [method, url, body] of [
      ['POST', `${base}/${path}`, text],
      ['PATCH', oneOf(path), `{"${field}":${figure}}`],
    ] as const) {
      const answer = await stack.send(method, url, body, undefined, headers)
      expect(answer.status, JSON.stringify(answer.body)).toBe(400)
      expect(answer.body.errors[0].pointer).toMatch(new RegExp(`^/${field}\\b`))
    }
    expect(await revision()).toBe(before)
  })
})
