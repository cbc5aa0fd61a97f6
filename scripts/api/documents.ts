import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describePlatformApi } from '@storey/platform'
import { describeControlApi } from '@storey/provisioning'

/** Writes the OpenAPI documents of both APIs into a folder and returns their paths. It needs no running service. */
export async function writeDocuments(folder: string): Promise<{ provisioning: string; platform: string }> {
  mkdirSync(folder, { recursive: true })
  const write = (name: string, document: object) => {
    const path = join(folder, `${name}.json`)
    writeFileSync(path, JSON.stringify(document, null, 2))
    return path
  }
  return {
    provisioning: write('provisioning', await describeControlApi()),
    platform: write('platform', await describePlatformApi()),
  }
}
