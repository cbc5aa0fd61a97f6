import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '@storey/kit/database'
import { StartupError } from '@storey/kit/startup-error'
import { openDataFolder } from '../../data-folder.ts'
import { refuseWrongSecret } from '../../refuse-wrong-secret.ts'
import type { Settings } from '../../settings.ts'
import { Findings } from './finding.ts'

type SecretSettings = Pick<Settings, 'dataDir' | 'masterSecret' | 'developersIssuer' | 'sandboxesIssuer'>

/** Checks whether the service can decrypt the signing keys of the embedded provider. */
export async function checkMasterSecret(control: Database, settings: SecretSettings): Promise<Findings> {
  const found = new Findings('settings')
  const { dataDir } = settings
  const masterSecret = settings.masterSecret ?? keptSecret(dataDir)
  if (masterSecret === undefined) return found
  try {
    await refuseWrongSecret(control, masterSecret, settings)
  } catch (err) {
    if (!(err instanceof StartupError)) throw err
    const place = settings.masterSecret === undefined ? `master-secret in ${dataDir}` : 'MASTER_SECRET'
    found.problem(
      `${place} is not the secret that the keys in this database were encrypted with: the service does not start`,
      'use the earlier secret, from your backup of it, or check DATABASE_URL',
    )
  }
  return found
}

/** The secret in the data folder; undefined if the folder has no secret, because the doctor must not create one. */
const keptSecret = (dataDir: string): string | undefined =>
  existsSync(join(dataDir, 'master-secret')) ? openDataFolder(dataDir).masterSecret(undefined) : undefined
