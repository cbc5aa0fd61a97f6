import type { Readable } from 'node:stream'
import type { GraphNode } from '@storey/contract'
import { type Database, type Send, streamSnapshot } from '@storey/kit/database'
import { KINDS_IN_ORDER, type RevisionAt, TABLES } from '../../graph/index.ts'
import { nodesAt } from './graph-at.store.ts'
import type { DescribedBuilding } from './history.store.ts'
import { turtleHead, turtleOf } from './turtle/write-turtle.ts'

/** Streams the graph as JSON. Creating it as one text (45 MB for 7,500 rooms) would delay other requests. */
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

/** Sends the items of all batches, with commas between the items. */
export async function sendList(send: Send, batches: AsyncIterable<readonly string[]>): Promise<void> {
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
