import type { Readable } from 'node:stream'
import { type Database, streamSnapshot, type Tx } from '@storey/kit/database'
import type { RevisionAt } from '../../graph/index.ts'
import { changesBetween } from './diff.store.ts'
import { opOf } from './history.store.ts'
import { sendList } from './read-graph.ts'

/** The changes that lead from one revision to another. `from` may be the later revision. */
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
