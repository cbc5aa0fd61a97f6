import { instantVersion } from '@storey/kit/http'

/**
 * The version of the values of a layer. Each upload that writes or deletes a value changes it, and so does an import
 * that moves values to new spaces.
 */
export function versionOfValues({ valuesUpdatedAt }: { valuesUpdatedAt: Date | null }): string {
  return valuesUpdatedAt === null ? 'none' : instantVersion(valuesUpdatedAt)
}
