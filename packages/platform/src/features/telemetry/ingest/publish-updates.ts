import { LIMITS } from '@storey/contract'
import { createYield } from '@storey/kit/yield-to-event-loop'
import type { Bus } from '../../../bus/index.ts'
import type { Observations } from './observations.ts'
import type { KnownPoints } from './point-cache.ts'
import { POINT_UPDATED, pointUpdates } from './point-updated.ts'

/** Publishes the events of committed observations. */
export type PublishUpdates = (
  buildingId: string,
  observations: Observations,
  ids: KnownPoints['ids'],
) => Promise<void> | undefined

/**
 * Returns a function that publishes events in the order of its calls, so that the last event of a point has its last
 * value. The events are built here, after the commit, because a client that joins during the commit may have read the
 * values from before the commit, and so needs the events. The events of a large body are built and published in steps,
 * between which other requests run.
 */
export function createUpdatePublisher(bus: Bus): PublishUpdates {
  /** Settles when all calls so far are finished; undefined if they are. */
  let working: Promise<void> | undefined

  const publish: PublishUpdates = async (buildingId, observations, ids) => {
    const yieldIfDue = createYield()
    for (const fields of pointUpdates(buildingId, observations, ids)) {
      bus.publish(buildingId, POINT_UPDATED, () => fields)
      await yieldIfDue()
    }
  }

  return (buildingId, observations, ids) => {
    if (!bus.hasSubscribers(POINT_UPDATED)) return undefined
    if (working === undefined && observations.count <= LIMITS.observation.perEvent) {
      for (const fields of pointUpdates(buildingId, observations, ids)) {
        bus.publish(buildingId, POINT_UPDATED, () => fields)
      }
      return undefined
    }
    const own = (working ?? Promise.resolve()).then(() => publish(buildingId, observations, ids))
    const ended = own
      .catch(() => undefined)
      .then(() => {
        if (working === ended) working = undefined
      })
    working = ended
    return own
  }
}
