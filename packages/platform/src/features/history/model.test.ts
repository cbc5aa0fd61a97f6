import { type GraphNode, type NodeKind, PLAIN_TEXT } from '@storey/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let base: string
beforeAll(async () => {
  stack = await startTestStack()
  base = `/api/v1/buildings/${stack.other.buildingId}`
})
afterAll(() => stack.close())

const PATHS = { storey: 'storeys', space: 'spaces', element: 'elements', point: 'points' } as const
type Node = GraphNode & Record<string, unknown>
type Model = ReadonlyMap<string, { kind: NodeKind; node: Node }>

const kind = fc.constantFrom<NodeKind>('storey', 'space', 'element', 'point')
const isName = new RegExp(PLAIN_TEXT, 'u')
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => isName.test(text))
const command = fc.oneof(
  fc.record({ op: fc.constant('create' as const), kind, pick: fc.nat(), name, own: fc.boolean() }),
  fc.record({ op: fc.constant('patch' as const), kind, pick: fc.nat(), name, move: fc.boolean() }),
  fc.record({ op: fc.constant('delete' as const), kind, pick: fc.nat() }),
  fc.record({ op: fc.constant('stamp' as const), kind, pick: fc.nat() }),
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

const read = async (at?: number): Promise<Model> => {
  const { body } = await stack.get(`${base}/graph${at === undefined ? '' : `?at=${at}`}`)
  const kinds = Object.keys(PATHS) as NodeKind[]
  return new Map(kinds.flatMap((k) => body[PATHS[k]].map((node: Node) => [node.id, { kind: k, node }])))
}
const revision = async (): Promise<number> => (await stack.get(base)).body.revision

const pickOf = (model: Model, k: NodeKind, pick: number) => {
  const all = [...model.values()].filter((entry) => entry.kind === k)
  return all.length === 0 ? undefined : all[pick % all.length]!.node
}

let serial = 0

/** The body of a create request, and the fields that the model expects besides identity and times. */
function draft(model: Model, { kind: k, pick, name }: { kind: NodeKind; pick: number; name: string }) {
  const storey = pickOf(model, 'storey', pick)
  if (k === 'storey') {
    return [
      { name, index: pick % 9 },
      { name, index: pick % 9, elevationM: null, areaSqm: null, polygon: null },
    ] as const
  }
  if (k === 'space' && storey) {
    const body = { storeyId: storey.id, name, spaceTypeSlug: 'shop' }
    const rest = { areaSqm: null, status: 'active', isLeasable: true, capacity: null, polygon: null }
    return [body, { ...body, ...rest }] as const
  }
  const space = pickOf(model, 'space', pick)
  if (k === 'element' && space) {
    const body = { spaceId: space.id, name, elementTypeSlug: 'fan' }
    return [body, { ...body, storeyId: null, status: 'active', serves: [] }] as const
  }
  const element = pickOf(model, 'element', pick)
  if (k === 'point' && element) {
    const body = { elementId: element.id, name, pointType: 'SENSOR', quantityKind: 'Temperature', unit: 'DEG_C' }
    return [body, body] as const
  }
  return undefined
}

const parentOf = ({ kind: k, node }: { kind: NodeKind; node: Node }) =>
  k === 'space'
    ? node.storeyId
    : k === 'element'
      ? (node.spaceId ?? node.storeyId)
      : k === 'point'
        ? node.elementId
        : null

/** Applies a command to the system and to the model, and returns the new model. */
async function run(model: Model, step: Command): Promise<Model> {
  const next = new Map(model)
  if (step.op === 'create') {
    const made = draft(model, step)
    if (!made) return model
    const own = step.own ? { sourceSystem: 'mine', externalId: `ext ${serial++}` } : undefined
    const { status, body } = await stack.send('POST', `${base}/${PATHS[step.kind]}`, { ...made[0], ...own })
    expect(status).toBe(201)
    const { id, code, createdAt, updatedAt } = body
    const identity = {
      externalId: own?.externalId ?? null,
      externalIds: own ? [own] : [],
      sourceSystem: own ? 'mine' : null,
    }
    return next.set(id, { kind: step.kind, node: { id, code, createdAt, updatedAt, ...identity, ...made[1] } as Node })
  }
  const node = pickOf(model, step.kind, step.pick)
  if (!node) return model
  const path = `${base}/${PATHS[step.kind]}/${node.id}`
  if (step.op === 'delete') {
    const { status } = await stack.send('DELETE', path)
    const hasChildren = [...model.values()].some((entry) => parentOf(entry) === node.id)
    expect(status).toBe(hasChildren ? 409 : 204)
    if (hasChildren) return model
    next.delete(node.id)
    for (const [id, entry] of next) {
      const serves = (entry.node.serves ?? []) as string[]
      if (!serves.includes(node.id)) continue
      const { updatedAt } = (await stack.get(`${base}/elements/${id}`)).body
      next.set(id, {
        ...entry,
        node: { ...entry.node, updatedAt, serves: serves.filter((s) => s !== node.id) } as Node,
      })
    }
    return next
  }
  if (step.op === 'stamp') {
    const own = { sourceSystem: 'stamp', externalId: `stamp ${serial++}` }
    const { status, body } = await stack.send('POST', `${path}/external-ids`, own)
    expect(status).toBe(201)
    const externalIds = [...node.externalIds, own]
    const { sourceSystem, externalId } = externalIds[0]!
    const stamped = { ...node, externalIds, sourceSystem, externalId, updatedAt: body.updatedAt }
    return next.set(node.id, { kind: step.kind, node: stamped as Node })
  }
  const target = step.move && step.kind === 'space' ? pickOf(model, 'storey', step.pick * 7) : undefined
  const patch = target ? { storeyId: target.id, name: step.name } : { name: step.name }
  const { status, body } = await stack.send('PATCH', path, patch)
  expect(status).toBe(200)
  return next.set(node.id, { kind: step.kind, node: { ...node, ...patch, updatedAt: body.updatedAt } as Node })
}

/**
 * Compares the graph with a simple model: a map of nodes that is changed as the API specifies. After any sequence
 * of writes, the graph at each revision equals the model at that revision, and the diff of two revisions, applied to
 * the first graph, gives the second.
 */
describe('any sequence of writes', () => {
  it('[REV-01, REV-04, REV-08] gives graphs and diffs that equal those of the model', async () => {
    const sequence = fc.array(command, { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(sequence, fc.nat(), fc.nat(), async (steps, a, b) => {
        let model: Model = await read()
        const states = new Map<number, Model>([[await revision(), model]])
        for (const step of steps) {
          const before = await revision()
          const after = await run(model, step)
          const isSame = after === model || JSON.stringify([...after]) === JSON.stringify([...model])
          expect(await revision()).toBe(isSame ? before : before + 1)
          model = after
          states.set(await revision(), model)
        }
        expect(await read()).toEqual(model)
        for (const [at, state] of states) expect(await read(at)).toEqual(state)
        const revisions = [...states.keys()]
        const [from, to] = [revisions[a % revisions.length]!, revisions[b % revisions.length]!]
        const { body } = await stack.get(`${base}/diff?from=${from}&to=${to}`)
        const result = new Map(states.get(from)!)
        for (const change of body.changes) {
          expect(change.before).toEqual(result.get(change.nodeId)?.node ?? null)
          if (change.after === null) result.delete(change.nodeId)
          else result.set(change.nodeId, { kind: change.kind, node: change.after })
        }
        expect(result).toEqual(states.get(to)!)
      }),
      { numRuns: 12 },
    )
  })
})
