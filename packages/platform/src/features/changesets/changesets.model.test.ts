import { randomUUID } from 'node:crypto'
import type { Operation } from '@storey/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChangesetFixture, startChangesets } from './testing/start-changesets.ts'

let world: ChangesetFixture
beforeAll(async () => {
  world = await startChangesets()
})
afterAll(() => world.close())

/**
 * An operation that refers to nodes by number. The numbers are resolved against the current graph. `move` changes the
 * parent of a node (a storey has no parent, so it is renamed), and `feed` changes what an element serves.
 */
interface AbstractOperation {
  op: 'create' | 'update' | 'move' | 'feed' | 'delete'
  kind: Operation['kind']
  node: number
  parent: number
  name: string
  code: number
}

const abstract: fc.Arbitrary<AbstractOperation> = fc.record({
  op: fc.constantFrom('create', 'create', 'update', 'move', 'feed', 'delete'),
  kind: fc.constantFrom('storey', 'space', 'element', 'point'),
  node: fc.nat(30),
  parent: fc.nat(30),
  name: fc.constantFrom('a', 'b', 'c'),
  code: fc.nat(12),
})

type Ids = Record<Operation['kind'], string[]>

function operationOf({ op, kind, node, parent, name, code }: AbstractOperation, ids: Ids): Operation {
  const pick = (of: Operation['kind'], n: number) => ids[of][n % ids[of].length] ?? randomUUID()
  const parents = {
    storey: {},
    space: { storeyId: pick('storey', parent) },
    element: parent % 3 === 0 ? { storeyId: pick('storey', parent) } : { spaceId: pick('space', parent) },
    point: { elementId: pick('element', parent) },
  }
  const own = {
    storey: { index: code },
    space: { spaceTypeSlug: 'open-office' },
    element: { elementTypeSlug: 'ahu', serves: code % 2 ? [] : [pick('space', code), pick('element', code)] },
    point: { pointType: 'SENSOR', quantityKind: 'Temperature', unit: 'DEG_C' },
  }
  const named = { name, ...(code > 8 ? { code: `MODEL-${code}` } : {}) }
  if (op === 'create') {
    const id = randomUUID()
    ids[kind].push(id)
    return { op, kind, id, data: { ...own[kind], ...parents[kind], ...named } }
  }
  if (op === 'delete') return { op, kind, id: pick(kind, node) }
  if (op === 'feed') {
    return { op: 'update', kind: 'element', id: pick('element', node), data: { serves: [pick('space', parent)] } }
  }
  const data = op === 'move' && kind !== 'storey' ? parents[kind] : named
  return { op: 'update', kind, id: pick(kind, node), data }
}

/** Tries each operation in a draft together with the operations accepted before. Returns all accepted operations. */
async function acceptedOf(abstracts: readonly AbstractOperation[]): Promise<Operation[]> {
  const { nodes } = await world.state()
  const [storey, space, element, point] = (nodes as { id: string }[][]).map((of) => of.slice(0, 6).map(({ id }) => id))
  const ids: Ids = { storey: storey!, space: space!, element: element!, point: point! }
  let taken: Operation[] = []
  for (const one of abstracts) {
    const tried = [...taken, operationOf(one, ids)]
    const { status } = await world.draft(tried)
    expect([201, 400, 409]).toContain(status)
    if (status === 201) taken = tried
  }
  return taken
}

describe('any changeset', () => {
  it('[CHG-13] leaves the graph unchanged after apply and revert', async () => {
    let applied = 0
    await fc.assert(
      fc.asyncProperty(fc.array(abstract, { minLength: 1, maxLength: 8 }), async (abstracts) => {
        const operations = await acceptedOf(abstracts)
        if (operations.length === 0) return
        const before = await world.state()
        const path = await world.approve(operations)
        const { body: shown } = await world.stack.get(`${path}/diff`)
        expect(await world.state()).toEqual(before)
        const done = await world.stack.send('POST', `${path}/apply`)
        expect(done, JSON.stringify(done.body)).toMatchObject({ status: 200 })
        const { body: made } = await world.stack.get(`${path}/diff`)
        const nodeIds = ({ changes }: { changes: { op: string; nodeId: string }[] }) =>
          changes.map(({ op, nodeId }) => `${nodeId} ${op}`).sort()
        expect(nodeIds(made)).toEqual(nodeIds(shown))
        applied += made.changes.length
        const undone = await world.stack.send('POST', `${path}/revert`)
        expect(undone, JSON.stringify(undone.body)).toMatchObject({ status: 200 })
        expect((await world.state()).nodes).toEqual(before.nodes)
        // This changeset is not reverted, so that the next run starts from another graph.
        await world.apply([{ op: 'create', kind: 'storey', data: { name: 'Next', index: 7 } }])
      }),
      { numRuns: 12 },
    )
    expect(applied).toBeGreaterThan(10)
  }, 120_000)
})
