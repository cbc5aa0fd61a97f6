import type { Readable } from 'node:stream'
import type { GraphNode } from '@storey/contract'
import { type Database, type Send, streamSnapshot, type Tx } from '@storey/kit/database'
import { KINDS_IN_ORDER, type RevisionAt, TABLES } from '../../graph/index.ts'
import { changesBetween, nodesAt } from './graph-at.store.ts'
import { type DescribedBuilding, opOf } from './history.store.ts'
import { turtleHead, turtleOf } from './turtle/write-turtle.ts'

/** Whole graphs and diffs are streamed: the graph of a tower has 45 MB, and other requests should not wait for it. */

export function graphAsJson(db: Database, buildingId: string, revision: RevisionAt): Readable {
  return streamSnapshot(db, async (tx, send) => {
    const head = { buildingId, revision: revision.revision, at: revision.at.toISOString() }
    await send(JSON.stringify(head).slice(0, -1))
    for (const kind of KINDS_IN_ORDER) {
      await send(`,"${TABLES[kind]}":[`)
      await sendList(send, nodesAt(tx, buildingId, revision.revision, kind))
      await send(']')
    }
    await send('}')
  })
}

/** Sends items that come in batches, separated by commas. */
async function sendList(send: Send, batches: AsyncIterable<readonly string[]>): Promise<void> {
  let started = false
  for await (const texts of batches) {
    if (texts.length === 0) continue
    await send((started ? ',' : '') + texts.join(','))
    started = true
  }
}

export function graphAsTurtle(db: Database, building: DescribedBuilding, revision: RevisionAt): Readable {
  return streamSnapshot(db, async (tx, send) => {
    const at = { revision: revision.revision, at: revision.at.toISOString() }
    await send(turtleHead(building, at, `urn:storey:building:${building.id}:`))
    for (const kind of KINDS_IN_ORDER) {
      for await (const texts of nodesAt(tx, building.id, revision.revision, kind)) {
        const nodes = JSON.parse(`[${texts.join(',')}]`) as GraphNode[]
        await send(nodes.map((node) => turtleOf(kind, node)).join(''))
      }
    }
  })
}

/** The difference between two revisions, whichever is the earlier. */
export function diffAsJson(db: Database, buildingId: string, from: RevisionAt, to: RevisionAt): Readable {
  const isForward = from.revision <= to.revision
  const [earlier, later] = isForward ? [from, to] : [to, from]
  return streamSnapshot(db, async (tx, send) => {
    const described = ({ revision, at }: RevisionAt) => ({ revision, at: at.toISOString() })
    await send(`${JSON.stringify({ buildingId, from: described(from), to: described(to) }).slice(0, -1)},"changes":[`)
    await sendList(send, changeTexts(tx, buildingId, [earlier.revision, later.revision], isForward))
    await send(']}')
  })
}

async function* changeTexts(tx: Tx, buildingId: string, [a, b]: readonly [number, number], isForward: boolean) {
  for await (const changes of changesBetween(tx, buildingId, a, b)) {
    yield changes.map(({ nodeId, kind, ...change }) => {
      const [before, after] = isForward ? [change.before, change.after] : [change.after, change.before]
      const op = opOf(before, after)
      return `{"op":"${op}","kind":"${kind}","nodeId":"${nodeId}","before":${before},"after":${after}}`
    })
  }
}
