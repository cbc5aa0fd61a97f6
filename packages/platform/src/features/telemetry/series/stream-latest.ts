import type { Readable } from 'node:stream'
import { type Database, streamSnapshot } from '@storey/kit/database'
import { LastValues } from './last-values.ts'
import { pointsWithValues, readWaiting } from './latest.store.ts'
import { fieldsText, valueText } from './latest-text.ts'

/**
 * Streams the last value of every point of a building, for a building whose last values together are too large for
 * memory, such as texts of 1,000 characters for 100,000 points. The last values that wait to be folded are all in
 * memory; the other values are read in parts.
 */
export function streamLatest(db: Database, buildingId: string, asOf: Date): Readable {
  return streamSnapshot(db, async (tx, send) => {
    const waiting = new LastValues()
    for await (const batch of readWaiting(tx)) waiting.add(batch)
    await send('{"data":[')
    let isFirst = true
    for await (const points of pointsWithValues(tx, buildingId)) {
      const texts: string[] = []
      for (const { kept, ...point } of points) {
        const arrived = waiting.get(point.number)
        const last = arrived && (kept === undefined || kept.atMs <= arrived.atMs) ? arrived : kept
        if (last) texts.push(`${fieldsText(point)},${valueText(last)}}`)
      }
      if (texts.length === 0) continue
      await send((isFirst ? '' : ',') + texts.join(','))
      isFirst = false
    }
    await send(`],"asOf":"${asOf.toISOString()}"}`)
  })
}
