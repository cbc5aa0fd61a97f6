import { BASE62 } from '@storey/contract'
import { randomText } from '@storey/kit/secrets'

const LOWER = BASE62.slice(0, 10) + BASE62.slice(36)

/** Lower case, because the id is part of the names of a database and a role. */
export const newSandboxId = () => `sbx_${randomText(LOWER, 16)}`
export const newOrganizationId = () => `org_${randomText(LOWER, 16)}`
export const newDeveloperId = () => `dev_${randomText(LOWER, 16)}`
export const newKeyId = () => `key_${randomText(LOWER, 16)}`
export const newDeadLetterId = () => `dlt_${randomText(LOWER, 16)}`
export const newSeed = () => randomText(LOWER, 10)
export const newInstallationTag = () => randomText(LOWER, 6)
export const newSlugSuffix = () => randomText(LOWER, 5)
