import {
  type LayerValue,
  LIMITS,
  type NoMatchReason,
  problems,
  type UploadResult,
  type ValuesUpload,
} from '@storey/contract'
import { type Precondition, withVersion } from '@storey/kit/http'
import { type LayerParts, requireLayer } from './change-layer.ts'
import { checkValues } from './check-values.ts'
import { type LayerPlace, markValuesChanged } from './layers.store.ts'
import type { Keying, Spaces } from './room-identifiers.ts'
import { countValues, dropOtherValues, upsertValues } from './values.store.ts'
import { versionOfValues } from './values-version.ts'
import { identifiersOf } from './written-order.ts'

/** Writes all values or none: if one value is invalid, nothing is written or deleted. */
export async function uploadValues(
  parts: LayerParts,
  place: LayerPlace,
  upload: ValuesUpload,
  precondition: Precondition,
): Promise<UploadResult> {
  const { keyBy = 'externalId', replace = false } = upload
  const identifiers = identifiersOf(upload.values)
  const { identifiers: max } = LIMITS.layer
  if (identifiers.length > max) throw problems.tooManyIdentifiers(identifiers.length, max)
  return parts.db.transaction(async (tx) => {
    const layer = await requireLayer(tx, place)
    precondition.check(versionOfValues(layer))
    const values = await checkValues(layer, identifiers, upload.values, parts.checks)
    const spaces = await parts.spaces.at(tx, place.buildingId.toLowerCase(), layer.graphVersion)
    const { spaceIds, values: given, unmatched } = assign(spaces, keyBy, identifiers, values)
    // With replace, existing rows of uploaded spaces are overwritten: to delete and insert them is twice the work.
    const deleted = replace ? await countValues(tx, layer) : 0
    if (deleted > 0) await dropOtherValues(tx, layer, spaceIds)
    const at = parts.clock.now()
    await upsertValues(tx, layer, { spaceIds, values: given, at })
    const isChanged = deleted > 0 || spaceIds.length > 0
    const valuesUpdatedAt = isChanged ? await markValuesChanged(tx, layer, at) : layer.valuesUpdatedAt
    const version = versionOfValues({ valuesUpdatedAt })
    const matched = identifiers.length - unmatched.length
    const result = { written: spaceIds.length, matched, unmatched, deleted }
    if (matched > 0 || identifiers.length === 0) return withVersion(result, version)
    return withVersion({ ...result, diagnostics: { reason: whyNoMatch(spaces, keyBy) } }, version)
  })
}

/**
 * The spaces with their values, ordered by space id, and the identifiers that match no space. Of two values for one
 * space, the one that comes later in the text of the request is used: the identifiers are in the order of the text
 * (`written-order.ts`).
 */
function assign(spaces: Spaces, keyBy: Keying, identifiers: readonly string[], values: readonly LayerValue[]) {
  const named = spaces.named[keyBy]
  const last: (LayerValue | undefined)[] = new Array(spaces.ids.length)
  const unmatched: string[] = []
  for (const [i, identifier] of identifiers.entries()) {
    const place = named.get(keyBy === 'id' ? identifier.toLowerCase() : identifier)
    if (place === undefined) unmatched.push(identifier)
    else last[place] = values[i]
  }
  const spaceIds: string[] = []
  const given: LayerValue[] = []
  for (const [place, value] of last.entries()) {
    if (value === undefined) continue
    spaceIds.push(spaces.ids[place]!)
    given.push(value)
  }
  return { spaceIds, values: given, unmatched }
}

function whyNoMatch({ ids, named }: Spaces, keyBy: Keying): NoMatchReason {
  if (ids.length === 0) return 'BUILDING_HAS_NO_SPACES'
  if (keyBy === 'externalId' && named.externalId.size === 0) return 'BUILDING_HAS_NO_EXTERNAL_IDS'
  return 'IDENTIFIERS_NOT_IN_BUILDING'
}
