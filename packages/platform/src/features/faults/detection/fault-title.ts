import { faultTitles, quantityKind, unit } from '@storey/contract'
import type { PointNames } from './detection.store.ts'
import type { WatchedRule } from './watch-list.ts'

type TitledRule = Pick<WatchedRule, 'kind' | 'above' | 'below' | 'durationSeconds'>
type Named = Pick<PointNames, 'name' | 'elementName' | 'quantityKind' | 'unit'>

/** The title of a fault: `Temperature above 30 °C for 15 min: Zone temperature, VAV box 02-03`. */
export function faultTitle(rule: TitledRule, point: Named, value: string | null): string {
  const place = `${point.name}, ${point.elementName}`
  const duration = durationText(rule.durationSeconds)
  if (rule.kind === 'alarm') return faultTitles.format('alarm', { place })
  if (rule.kind === 'silent') return faultTitles.format('silent', { duration, place })
  const what = measured(point)
  if (rule.kind === 'stuck') return faultTitles.format('stuck', { what, duration, place })
  const side = rule.above !== null && (rule.below === null || Number(value) > rule.above) ? 'above' : 'below'
  const bound = `${rule[side]!}${symbolOf(point.unit)}`
  if (rule.durationSeconds === 0) return faultTitles.format(side, { what, bound, place })
  return faultTitles.format(`${side}For`, { what, bound, duration, place })
}

/** The label of the quantity kind, without explanations in brackets, which are too long for a title. */
function measured({ quantityKind: name }: Named): string {
  if (name === 'Dimensionless') return 'Value'
  return (quantityKind(name)?.label ?? name).replace(/ \(.*\)$/, '')
}

function symbolOf(name: string): string {
  const symbol = unit(name)?.symbol ?? name
  return symbol === '' ? '' : ` ${symbol}`
}

const PARTS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** A duration in the largest unit that gives a whole number. */
function durationText(seconds: number): string {
  const [size, name] = PARTS.find(([size]) => seconds % size === 0)!
  return `${seconds / size} ${name}`
}
