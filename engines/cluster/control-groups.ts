import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineMissing } from '../fetch/cache.ts'

/** A control group in every hierarchy of this machine. A kubelet creates the groups of its pods below it. */
export interface ControlGroup {
  /** Its path below each hierarchy. */
  path: string
  remove(): Promise<void>
}

const MOUNT = '/sys/fs/cgroup'
const REMOVE_TRIES = 50

/** Replaces a group of this name, because a run that was interrupted leaves its groups, without processes. */
export async function createControlGroup(name: string): Promise<ControlGroup> {
  const folders = hierarchies().map((hierarchy) => join(hierarchy, name))
  for (const folder of folders) {
    await removeGroup(folder)
    mkdirSync(folder)
    // A group of version 1 has no processors and no memory until they are assigned. The uppermost group of version 2
    // lacks these files, and nothing has to be assigned.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const [own, above] = [join(folder, file), join(folder, '..', file)]
      if (existsSync(own) && existsSync(above)) writeFileSync(own, readFileSync(above, 'utf8'))
    }
  }
  return {
    path: `/${name}`,
    async remove() {
      for (const folder of folders) await removeGroup(folder)
    },
  }
}

/** The control groups whose names begin like this, in all hierarchies. */
export function groupsNamed(start: string): string[] {
  return hierarchies().flatMap((hierarchy) =>
    readdirSync(hierarchy)
      .filter((name) => name.startsWith(start))
      .map((name) => join(hierarchy, name)),
  )
}

function hierarchies(): string[] {
  const isUnified = existsSync(join(MOUNT, 'cgroup.controllers'))
  if (isUnified) return [MOUNT]
  const names = existsSync(MOUNT) ? readdirSync(MOUNT) : []
  if (!names.includes('memory')) throw new EngineMissing(`a kubelet requires control groups in ${MOUNT}`)
  return names.map((name) => join(MOUNT, name))
}

/** Removes a group and the groups in it, once their processes have ended. The files of a group disappear with it. */
async function removeGroup(folder: string): Promise<void> {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await removeGroup(join(folder, entry.name))
  for (let i = 0; ; i++) {
    try {
      return rmdirSync(folder)
    } catch (err) {
      if (i === REMOVE_TRIES) throw err
      await sleep(100)
    }
  }
}
