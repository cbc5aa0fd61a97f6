import {
  LayerParams,
  LayerValueList,
  LayerValueRecord,
  LayerValuesQuery,
  LegendInForce,
  LIMITS,
  NoQuery,
  problems,
  UploadResult,
  ValuesUpload,
} from '@storey/contract'
import { BODIES, type BodyRule, BY_VERSION, type HttpApp } from '@storey/kit/http'
import type { LayerParts } from './change-layer.ts'
import { readLegend } from './read-legend.ts'
import { readValues } from './read-values.ts'
import { uploadValues } from './upload-values.ts'
import { recordOrder } from './written-order.ts'

const READ = { access: 'building.layers:read' }
const WRITE = { access: 'building.layers:write' }
export const tags = ['Data layers']
export const LAYERS_PATH = '/api/v1/buildings/:buildingId/data-layers'
/** The version of the values only: a change of the layer's name does not affect it. */
const RECORD = { record: BY_VERSION }
const VALUES = `${LAYERS_PATH}/:layerId/values`

/** An upload depends on the order of the keys in its text. */
const UPLOAD: BodyRule = {
  ...BODIES.bulk,
  maxValues: 10 * LIMITS.layer.identifiers,
  seen: recordOrder,
  tooManyValues: (max) => problems.tooManyIdentifiers(`more than ${max}`, LIMITS.layer.identifiers),
}

/** Values of rooms, and their legend. */
export function valueRoutes(app: HttpApp, parts: LayerParts): void {
  for (const schema of [UploadResult, LayerValueRecord, LegendInForce]) app.addSchema(schema)

  const uploadSchema = {
    tags,
    summary: 'Upload values of rooms',
    description:
      'If one value is invalid, nothing is written, and the error names the key of the value. NUMBER accepts finite ' +
      'numbers, BOOLEAN booleans, STRING and ENUM strings, and each value must match valueSchema. Identifiers that ' +
      'match no room are listed in unmatched, and the values of all other identifiers are written. If no identifier ' +
      'matches, diagnostics.reason gives the reason. If several rooms have the same external id, it refers to the room ' +
      'that has it with the sourceSystem ifc, or else to the oldest of these rooms.',
    params: LayerParams,
    querystring: NoQuery,
    body: ValuesUpload,
    response: { 200: { $ref: 'UploadResult#' } },
  }
  app.put(
    VALUES,
    {
      config: {
        ...WRITE,
        ...RECORD,
        body: UPLOAD,
        problems: ['TOO_MANY_IDENTIFIERS', 'VALUE_TYPE_MISMATCH', 'VALUE_SCHEMA_MISMATCH'],
      },
      schema: uploadSchema,
    },
    (request) => uploadValues(parts, request.params, request.body, request.precondition),
  )

  const readSchema = {
    tags,
    summary: 'Read values, ordered by entityId',
    description: 'Returns a page of the values that match all given filters.',
    params: LayerParams,
    querystring: LayerValuesQuery,
    response: { 200: LayerValueList },
  }
  app.get(VALUES, { config: { ...READ, ...RECORD, problems: ['FILTER_NOT_ALLOWED'] }, schema: readSchema }, (request) =>
    readValues(parts.db, request.params, request.query),
  )

  const legendSchema = {
    tags,
    summary: 'Read the effective legend',
    description:
      'Returns the legend of the layer if it matches at least one value, otherwise a derived one. ENUM and STRING: ' +
      'an entry for each distinct value in the order of code points, ten at most, and one more entry, «прочее (N)», ' +
      'without value and range, for the remaining N values. BOOLEAN: «да» and «нет». NUMBER: five ranges of equal ' +
      'width from the smallest to the largest value, or one entry if all values are equal. Without values there are ' +
      'no entries.',
    params: LayerParams,
    querystring: NoQuery,
    response: { 200: { $ref: 'LegendInForce#' } },
  }
  app.get(
    `${LAYERS_PATH}/:layerId/legend`,
    { config: { ...READ, revalidates: true }, schema: legendSchema },
    (request) => readLegend(parts.db, request.params),
  )
}
