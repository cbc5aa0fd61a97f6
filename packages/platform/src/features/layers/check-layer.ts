import {
  isCssColor,
  type LayerValue,
  type LayerValueType,
  type LegendEntry,
  LIMITS,
  type NewDataLayer,
  problems,
} from '@storey/contract'
import { compileValueSchema } from '../../value-schema/index.ts'
import { jsTypeOf } from './value-types.ts'

type Described = Pick<NewDataLayer, 'valueSchema' | 'legend' | 'metadata'>

/**
 * Checks what the schema of the request body cannot check: the legend must fit the value type, the value schema must
 * compile (`value-schema/compile.ts` refuses it otherwise), and the metadata must not be too large.
 */
export async function checkLayer(
  valueType: LayerValueType,
  { valueSchema, legend, metadata }: Described,
): Promise<void> {
  for (const [i, entry] of (legend ?? []).entries()) checkEntry(valueType, entry, `legend/${i}`)
  checkMetadata(metadata)
  if (valueSchema !== undefined && valueSchema !== null) await compileValueSchema(valueSchema)
}

function checkEntry(valueType: LayerValueType, entry: LegendEntry, at: string): void {
  const { value, min, max, color } = entry
  const ranged = min !== undefined || max !== undefined
  if (ranged && valueType !== 'NUMBER') {
    throw problems.field(`${at}/${min === undefined ? 'max' : 'min'}`, 'min and max are for NUMBER layers only')
  }
  if (ranged && value !== undefined) {
    throw problems.field(`${at}/value`, 'a legend entry has either value, or min and max, but not both')
  }
  if (ranged && (min === undefined || max === undefined)) {
    throw problems.field(`${at}/${min === undefined ? 'min' : 'max'}`, 'a range needs both min and max')
  }
  if (ranged && min! > max!) throw problems.field(`${at}/min`, 'min must not be above max')
  if (!ranged) checkValue(valueType, value, at)
  if (!isCssColor(color)) {
    throw problems.field(`${at}/color`, 'color must be hexadecimal, such as #00aa88, or a colour name of CSS')
  }
}

function checkValue(valueType: LayerValueType, value: LayerValue | undefined, at: string): void {
  if (value === undefined) throw problems.field(`${at}/value`, 'a legend entry needs value, or min and max')
  if (typeof value === jsTypeOf(valueType)) return
  throw problems.field(`${at}/value`, `value must be a JSON ${jsTypeOf(valueType)}, as the layer is ${valueType}`)
}

function checkMetadata(metadata: unknown): void {
  const bytes = metadata ? Buffer.byteLength(JSON.stringify(metadata)) : 0
  const { metadataBytes } = LIMITS.layer
  if (bytes <= metadataBytes) return
  throw problems.field('metadata', `metadata has ${bytes} bytes, and at most ${metadataBytes} are allowed`)
}
