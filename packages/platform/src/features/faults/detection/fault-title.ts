import { quantityKind, unit } from '@storey/contract'
import type { PointNames } from './detection.store.ts'
import type { WatchedRule } from './watch-list.ts'

type Told = Pick<WatchedRule, 'kind' | 'above' | 'below' | 'durationSeconds'>
type Named = Pick<PointNames, 'name' | 'elementName' | 'quantityKind' | 'unit'>

/** What is wrong and where, in words: `Temperature above 30 °C for 15 min: Zone temperature, VAV box 02-03`. */
export function faultTitle(rule: Told, point: Named, value: string | null): string {
  return `${whatIsWrong(rule, point, value)}: ${point.name}, ${point.elementName}`
}

function whatIsWrong(rule: Told, point: Named, value: string | null): string {
  const duration = durationText(rule.durationSeconds)
  if (rule.kind === 'alarm') return 'Alarm'
  if (rule.kind === 'silent') return `No observation for ${duration}`
  if (rule.kind === 'stuck') return `${measured(point)} unchanged for ${duration}`
  const isAbove = rule.above !== null && (rule.below === null || Number(value) > rule.above)
  const bound = isAbove ? rule.above! : rule.below!
  const beyond = `${measured(point)} ${isAbove ? 'above' : 'below'} ${bound}${symbolOf(point.unit)}`
  return rule.durationSeconds === 0 ? beyond : `${beyond} for ${duration}`
}

/** The catalog explains some kinds in brackets, which a title has no room for. */
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

/** In the largest unit that it is a whole number of. */
function durationText(seconds: number): string {
  const [size, name] = PARTS.find(([size]) => seconds % size === 0)!
  return `${seconds / size} ${name}`
}
