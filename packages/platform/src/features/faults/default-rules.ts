import type { DefaultRule } from './fault-rules.store.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE

const CELSIUS = { quantityKind: 'Temperature', unit: 'DEG_C', pointType: 'SENSOR' } as const
const HUMIDITY = { quantityKind: 'RelativeHumidity', unit: 'PERCENT_RH', pointType: 'SENSOR' } as const
const GAS = { quantityKind: 'MoleFraction', unit: 'PPM', pointType: 'SENSOR' } as const
const PARTICLES = { quantityKind: 'MassConcentration', unit: 'MicroGM-PER-M3', pointType: 'SENSOR' } as const
const LOAD = { quantityKind: 'DimensionlessRatio', unit: 'PERCENT', pointType: 'SENSOR' } as const

/** A VAV box also measures its supply air, so only its point `Zone temperature` is a room temperature. */
const ROOM_TEMPERATURES = [
  { ...CELSIUS, elementTypeSlug: 'temperature-sensor' },
  { ...CELSIUS, elementTypeSlug: 'thermostat' },
  { ...CELSIUS, elementTypeSlug: 'vav', pointName: 'Zone temperature' },
] as const

type Scope = Pick<DefaultRule, 'pointName' | 'quantityKind' | 'unit' | 'pointType' | 'elementTypeSlug'>

const alarm = (name: string, severity: DefaultRule['severity'], elementTypeSlug?: string): DefaultRule => ({
  kind: 'alarm',
  name,
  severity,
  pointType: 'ALARM',
  ...(elementTypeSlug === undefined ? {} : { elementTypeSlug }),
})

const beyond = (
  name: string,
  severity: DefaultRule['severity'],
  scope: Scope,
  bounds: { above?: number; below?: number; durationSeconds: number },
): DefaultRule => ({ kind: 'threshold', name, severity, ...scope, ...bounds })

const stuck = (name: string, scope: Scope, durationSeconds: number): DefaultRule => ({
  kind: 'stuck',
  name,
  severity: 'minor',
  ...scope,
  durationSeconds,
})

/**
 * The rules that every building has from the start. Their bounds and durations are chosen so that a working building
 * causes no false alarms, because people soon disable a rule that causes them. Of the default rules of one kind that
 * apply to a point, only the most specific one counts.
 */
export const DEFAULT_RULES: readonly DefaultRule[] = [
  alarm('Smoke detected', 'critical', 'smoke-detector'),
  alarm('Fire alarm', 'critical', 'fire-panel'),
  alarm('Fire alarm', 'critical', 'fire-alarm'),
  alarm('Water leak', 'critical', 'leak-detector'),
  alarm('Alarm', 'major'),

  beyond('Carbon monoxide', 'critical', { ...GAS, elementTypeSlug: 'co-sensor' }, { above: 30, durationSeconds: 0 }),
  beyond(
    'Stale air',
    'minor',
    { ...GAS, elementTypeSlug: 'co2-sensor' },
    { above: 2000, durationSeconds: 30 * MINUTE },
  ),
  beyond(
    'Particles or vapours in the air',
    'minor',
    { ...PARTICLES, elementTypeSlug: 'air-quality-sensor' },
    { above: 1000, durationSeconds: HOUR },
  ),
  ...ROOM_TEMPERATURES.map((scope) =>
    beyond('Room too warm or too cold', 'minor', scope, { above: 30, below: 5, durationSeconds: 30 * MINUTE }),
  ),
  beyond(
    'Supply air of a VAV box too warm or too cold',
    'minor',
    { ...CELSIUS, elementTypeSlug: 'vav' },
    { above: 40, below: 8, durationSeconds: 30 * MINUTE },
  ),
  beyond(
    'Air too dry or too humid',
    'minor',
    { ...HUMIDITY, elementTypeSlug: 'humidity-sensor' },
    { above: 80, below: 15, durationSeconds: 2 * HOUR },
  ),
  beyond(
    'Chilled water close to freezing',
    'major',
    { ...CELSIUS, elementTypeSlug: 'chiller' },
    { below: 3, durationSeconds: 15 * MINUTE },
  ),
  beyond(
    'Boiler too hot',
    'major',
    { ...CELSIUS, elementTypeSlug: 'boiler' },
    { above: 95, durationSeconds: 5 * MINUTE },
  ),
  beyond(
    'Emergency power loaded too high',
    'major',
    { ...LOAD, elementTypeSlug: 'ups' },
    { above: 90, durationSeconds: 15 * MINUTE },
  ),
  beyond('Implausible temperature', 'minor', CELSIUS, { above: 120, below: -50, durationSeconds: 0 }),

  // Air always moves, so the last digit of these values changes within an hour.
  stuck('Humidity sensor stuck', { ...HUMIDITY, elementTypeSlug: 'humidity-sensor' }, 4 * HOUR),
  stuck('CO₂ sensor stuck', { ...GAS, elementTypeSlug: 'co2-sensor' }, 4 * HOUR),
  stuck('CO sensor stuck', { ...GAS, elementTypeSlug: 'co-sensor' }, 4 * HOUR),
  // The temperature of an empty room can be constant for most of a day, and other temperatures for some hours.
  ...ROOM_TEMPERATURES.map((scope) => stuck('Room temperature stuck', scope, 24 * HOUR)),
  stuck('Temperature stuck', CELSIUS, 12 * HOUR),

  // Some meters report only once an hour, so a shorter silence is normal.
  { kind: 'silent', name: 'Sensor silent', severity: 'minor', pointType: 'SENSOR', durationSeconds: 2 * HOUR },
]
