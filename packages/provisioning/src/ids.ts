import { BASE62 } from '@storey/contract'
import { randomText } from '@storey/kit/secrets'

const LOWER = BASE62.slice(0, 10) + BASE62.slice(36)

/** Lower-case letters and digits. */
export const randomLower = (length: number) => randomText(LOWER, length)

/** In lower case, so that the names of the database and the role, which contain the id, need no quotes in SQL. */
export const newSandboxId = () => `sbx_${randomLower(16)}`
/** The id of the organization in the database of a sandbox. It is also the tenant id of the sandbox. */
export const organizationOf = (sandboxId: string) => sandboxId.replace('sbx_', 'org_')
export const newOrganizationId = () => `org_${randomLower(16)}`
export const newDeveloperId = () => `dev_${randomLower(16)}`
export const newKeyId = () => `key_${randomLower(16)}`
export const newDeadLetterId = () => `dlt_${randomLower(16)}`
export const newSeed = () => randomLower(10)
export const newInstallationTag = () => randomLower(6)
export const newServerId = () => `srv_${randomLower(6)}`
export const newGeneration = () => randomLower(20)
