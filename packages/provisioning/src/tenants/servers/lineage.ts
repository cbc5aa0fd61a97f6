import { type Database, isDenied, type openDedicatedClient } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { newGeneration } from '../../ids.ts'
import { namePrefix } from '../tenants.ts'
import { readGeneration, writeGeneration } from './markers.store.ts'
import { addGeneration, hasGeneration } from './servers.store.ts'

type Client = Awaited<ReturnType<typeof openDedicatedClient>>

/** Finds out whether this control database was the last that used a server. */
export interface Lineage {
  /** False: another control database has used the server more recently. */
  isOurs(): Promise<boolean>
  /**
   * Writes a new generation. Existing copies of this control database do not have the new generation, so `isOurs` is
   * false for them.
   */
  renew(locked: Client): Promise<void>
}

export interface LineageOptions {
  control: Database
  /** A database of the server. */
  admin: Database
  serverId: string
  installationTag: string
  log: Log
}

/**
 * The leader writes a new random generation to its control database, and then to the server, whenever it begins to use
 * the server. In this order, the control database knows the generation of the server even if the process ends between
 * the two writes. A control database without the server's generation is not the one that used the server last. The
 * control database also keeps earlier generations, so it still recognizes a server that was down or was restored.
 */
export function createLineage({ control, admin, serverId, installationTag, log }: LineageOptions): Lineage {
  const prefix = namePrefix(installationTag)
  return {
    async isOurs() {
      const generation = await readGeneration(admin, prefix, serverId)
      return generation === undefined || (await hasGeneration(control, generation))
    },
    async renew(locked) {
      const generation = newGeneration()
      await addGeneration(control, serverId, generation)
      // The session that holds the lock writes the generation, so that nothing is written if the lock is lost.
      await locked.query(writeGeneration(prefix, serverId, generation).toQuery()).catch((err) => {
        if (!isDenied(err)) throw err
        log.warn(
          { server: serverId, reason: err.message },
          'the account on the database server cannot comment on the role that identifies the server, so copies of the control database are not recognized',
        )
      })
    },
  }
}
