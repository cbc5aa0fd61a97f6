import type { Readable } from 'node:stream'
import type { GraphNode } from '@storey/contract'
import { type Database, type Send, streamSnapshot, type Tx } from '@storey/kit/database'
import { KINDS_IN_ORDER, type Moment, TABLES } from '../../graph/index.ts'
import { changesBetween, nodesAt } from './graph-at.store.ts'
import { type DescribedBuilding, opOf } from './history.store.ts'
import { turtleHead, turtleOf } from './turtle/write-turtle.ts'

/** Whole graphs and diffs are streamed: a tower's is 45 MB, and nobody else should wait for it. */

export function graphAsJson(db: Database, buildingId: string, moment: Moment): Readable {
  return streamSnapshot(db, async (tx, send) => {
    const head = { buildingId, revision: moment.revision, at: moment.at.toISOString() }
    await send(JSON.stringify(head).slice(0, -1))
    for (const kind of KINDS_IN_ORDER) {
      await send(`,"${TABLES[kind]}":[`)
      await sendList(send, nodesAt(tx, buildingId, moment.revision, kind))
      await send(']')
    }
    await send('}')
  })
}

/** Items that come in batches, parted by commas. */
async function sendList(send: Send, batches: AsyncIterable<readonly string[]>): Promise<void> {
  let started = false
  for await (const texts of batches) {
    if (texts.length === 0) continue
    await send((started ? ',' : '') + texts.join(','))
    started = true
  }
}

export function graphAsTurtle(db: Database, building: DescribedBuilding, moment: Moment): Readable {
  return streamSnapshot(db, async (tx, send) => {
    const at = { revision: moment.revision, at: moment.at.toISOString() }
    await send(turtleHead(building, at, `urn:storey:building:${building.id}:`))
    for (const kind of KINDS_IN_ORDER) {
      for await (const texts of nodesAt(tx, building.id, moment.revision, kind)) {
        const nodes = JSON.parse(`[${texts.join(',')}]`) as GraphNode[]
        await send(nodes.map((node) => turtleOf(kind, node)).join(''))
      }
    }
  })
}

/** What turns the graph of one moment into that of another, whichever is the earlier. */
export function diffAsJson(db: Database, buildingId: string, from: Moment, to: Moment): Readable {
  const isForward = from.revision <= to.revision
  const [earlier, later] = isForward ? [from, to] : [to, from]
  return streamSnapshot(db, async (tx, send) => {
    const told = ({ revision, at }: Moment) => ({ revision, at: at.toISOString() })
    await send(`${JSON.stringify({ buildingId, from: told(from), to: told(to) }).slice(0, -1)},"changes":[`)
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
