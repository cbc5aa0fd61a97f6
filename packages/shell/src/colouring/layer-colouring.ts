import { BOOLEAN_LABELS, holdsValue, legendOf } from '@storey/contract'
import type { DataLayer, LayerValueRecord, LegendEntry } from '@storey/sdk'
import { type Colouring, countShades } from './colouring.ts'

type Value = number | string | boolean

/** Colours the rooms by a layer. All storeys have the same legend; its rules are in `contract/src/legend.ts`. */
export function layerColouring(
  layer: DataLayer,
  values: ReadonlyMap<string, LayerValueRecord>,
  formatNumber: (value: number, bounds: readonly number[]) => string = String,
): Colouring {
  const { entries, source } = legendOf(
    layer,
    Array.from(values.values(), ({ value }) => value as Value),
  )
  const bounds = entries.flatMap(boundsOf)
  // `formatNumber` adds decimals until the rounded value is on the same side of each bound as the value. In a derived
  // legend the lowest and the highest value are bounds themselves. A value that is a bound is formatted without this
  // bound, because otherwise it would be shown with up to six decimals.
  const boundsFor = (value: number) => (source === 'derived' ? bounds.filter((bound) => bound !== value) : bounds)
  const labelOf = ({ min, max, label }: LegendEntry) =>
    source === 'derived' && min !== undefined && max !== undefined
      ? `${formatNumber(min, [])} – ${formatNumber(max, [])}`
      : label
  const shades = entries.map((entry, i) => ({ entry, key: String(i), label: labelOf(entry), color: entry.color }))
  // If there are more than ten categories, a derived legend ends with one entry for all categories after the tenth.
  const others = source === 'derived' ? shades.find(({ entry }) => isForOthers(entry)) : undefined
  const shadeOfValue = (value: Value) => shades.find(({ entry }) => holds(entry, value)) ?? others

  const valueIn = (spaceId: string) => values.get(spaceId)?.value as Value | undefined
  const shadeOf: Colouring['shadeOf'] = ({ id }) => {
    const value = valueIn(id)
    return value === undefined ? undefined : shadeOfValue(value)
  }
  return {
    id: `layer:${layer.key}`,
    title: layer.name,
    ...unitOf(layer),
    shadeOf,
    textOf({ id }) {
      const value = valueIn(id)
      if (value === undefined) return undefined
      if (typeof value === 'boolean') return shadeOfValue(value)?.label ?? BOOLEAN_LABELS[`${value}`]
      if (typeof value === 'number') return formatNumber(value, boundsFor(value))
      return shades.find(({ entry }) => entry.value === value)?.label ?? value
    },
    numberOf({ id }) {
      const value = valueIn(id)
      return typeof value === 'number' ? value : undefined
    },
    atOf({ id }) {
      const record = values.get(id)
      return record && Date.parse(record.updatedAt)
    },
    legend: (spaces) =>
      countShades(
        shades.map(({ entry: _, ...shade }) => shade),
        spaces,
        shadeOf,
      ),
  }
}

/** The unit of a layer's numbers. `layers/layer-form.tsx` lets people enter it, as metadata of the layer. */
function unitOf({ valueType, metadata }: DataLayer): Pick<Colouring, 'unit' | 'unitOf'> {
  const unit = metadata?.unit
  return valueType === 'NUMBER' && typeof unit === 'string' ? { unit, unitOf: () => unit } : {}
}

/** The numbers that a value must not be rounded to or across. */
const boundsOf = ({ value, min, max }: LegendEntry) =>
  [value, min, max].filter((bound): bound is number => typeof bound === 'number')
const isForOthers = (entry: LegendEntry) => entry.value === undefined && entry.min === undefined
const holds = (entry: LegendEntry, value: Value) => !isForOthers(entry) && holdsValue(entry, value)
