import { instantVersion } from '@storey/kit/http'

/**
 * The version of the values of a layer. The version changes with each upload that writes or deletes a value, and with
 * an import that moves values to new spaces.
 */
export function versionOfValues({ valuesUpdatedAt }: { valuesUpdatedAt: Date | null }): string {
  return valuesUpdatedAt === null ? 'none' : instantVersion(valuesUpdatedAt)
}
