import type { Building } from '../building.ts'
import { DAY_MS, STEP_MS } from './clock.ts'
import { chanceAt, seedAt } from './noise.ts'

export type FaultKind = 'stuck-sensor' | 'drift' | 'gap' | 'stuck-damper'

/** A fault that is injected into the data, for fault detection to find. */
export interface InjectedFault {
  id: string
  kind: FaultKind
  pointIndex: number
  pointKey: string
  elementKey: string
  startMs: number
  endMs: number
  /**
   * The drift per hour, the opening of a stuck damper (0 to 1), or the value of a stuck sensor (0: the first value that
   * the sensor has during the fault). It is not used for a gap.
   */
  amount: number
}

/** The points that a fault of each kind can affect. */
export interface FaultTargets {
  seed: number
  sensors: readonly number[]
  /**
   * Sensors that can have a lasting fault. These are the sensors of CO₂ and humidity: their values always change, so a
   * constant value is detected within hours. In a building with fewer than three such sensors, these are the sensors of
   * temperature, or none if the building has fewer than three sensors of temperature too.
   */
  lasting: readonly number[]
  drifting: readonly number[]
  gaps: readonly number[]
  dampers: readonly number[]
}

const BLOCK_DAYS = 7
/**
 * The maximum duration of a short fault. The warm-up of a simulation is longer, so a short fault that is active at the
 * end of the warm-up began during the warm-up, and the value at which its sensor stuck is known.
 */
const MAX_HOURS = 40
/**
 * In a building with at least four suitable sensors, this many sensors have been stuck for a day or longer at any
 * instant, so that a new building has faults to find.
 */
const LASTING_FAULTS = 2
/** A lasting fault begins early in its week and ends on the second day of the next week. */
const LASTING_START_HOURS = 4
const LASTING_HOURS = BLOCK_DAYS * 24 + 36
const KINDS: readonly FaultKind[] = ['stuck-sensor', 'drift', 'gap', 'stuck-damper', 'stuck-sensor', 'gap']

export function faultTargets(building: Building, seed: number): FaultTargets {
  const indexes = (suffixes: RegExp) =>
    building.points.flatMap((point, index) => (suffixes.test(point.code) ? [index] : []))
  return {
    seed,
    sensors: indexes(/\.(ZNT|CO2|RH)$/),
    lasting: [indexes(/\.(CO2|RH)$/), indexes(/\.ZNT$/)].find((points) => points.length > LASTING_FAULTS) ?? [],
    drifting: indexes(/\.(CO2|ZNT)$/),
    gaps: indexes(/\.(ZNT|CO2|RH|LUX|SAF|KW|CNT)$/),
    dampers: indexes(/^VAV-.*\.DPR$/),
  }
}

/** All faults that overlap a time range. In a week, at most six short faults and two lasting ones begin. */
export function faultsBetween(
  building: Building,
  targets: FaultTargets,
  fromMs: number,
  toMs: number,
): InjectedFault[] {
  const first = Math.floor(fromMs / DAY_MS / BLOCK_DAYS) - 1
  const last = Math.floor(toMs / DAY_MS / BLOCK_DAYS)
  const faults: InjectedFault[] = []
  for (let block = first; block <= last; block++) {
    faults.push(...faultsOfBlock(building, targets, block), ...lastingFaults(building, targets, block))
  }
  return faults.filter((fault) => fault.startMs < toMs && fault.endMs > fromMs)
}

function faultsOfBlock(building: Building, targets: FaultTargets, block: number): InjectedFault[] {
  const seed = seedAt(targets.seed, block)
  const count = Math.min(6, 3 + Math.floor(building.points.length / 1500))
  const lasting = [block - 1, block].flatMap((of) => lastingFaults(building, targets, of))
  const taken = new Set(lasting.map(({ pointIndex }) => pointIndex))
  const faults: InjectedFault[] = []
  for (let i = 0; i < count; i++) {
    const kind = KINDS[(i + Math.abs(block)) % KINDS.length]!
    const candidates = candidatesFor(kind, targets)
    if (candidates.length === 0) continue
    const draw = (use: number) => chanceAt(seed, i * 10 + use)
    const pointIndex = candidates[Math.floor(draw(1) * candidates.length)]!
    if (taken.has(pointIndex)) continue
    taken.add(pointIndex)
    const steps = Math.floor(((6 + draw(2) * (MAX_HOURS - 6)) * 3_600_000) / STEP_MS)
    const latest = (BLOCK_DAYS * DAY_MS) / STEP_MS - steps
    const startMs = block * BLOCK_DAYS * DAY_MS + Math.floor(draw(3) * latest) * STEP_MS
    const point = building.points[pointIndex]!
    faults.push({
      id: `fault/${block}/${i}`,
      kind,
      pointIndex,
      pointKey: point.key,
      elementKey: point.elementKey,
      startMs,
      endMs: startMs + steps * STEP_MS,
      amount: amountOf(kind, point.code, draw(4)),
    })
  }
  return faults
}

function lastingFaults(building: Building, { seed, lasting }: FaultTargets, block: number): InjectedFault[] {
  if (lasting.length === 0) return []
  const draws = seedAt(seedAt(seed, block), LASTING_HOURS)
  // Adjacent weeks use different halves of the sensors, so that a sensor has at most one lasting fault at a time.
  const half = Math.floor(lasting.length / 2)
  const offset = Math.abs(block % 2) * half
  return Array.from({ length: Math.min(LASTING_FAULTS, half) }, (_, i) => {
    const share = Math.floor(half / LASTING_FAULTS) || 1
    const pointIndex = lasting[offset + i * share + Math.floor(chanceAt(draws, i * 10) * share)]!
    const point = building.points[pointIndex]!
    const steps = Math.floor((chanceAt(draws, i * 10 + 1) * LASTING_START_HOURS * 3_600_000) / STEP_MS)
    const startMs = block * BLOCK_DAYS * DAY_MS + steps * STEP_MS
    return {
      id: `fault/${block}/lasting/${i}`,
      kind: 'stuck-sensor',
      pointIndex,
      pointKey: point.key,
      elementKey: point.elementKey,
      startMs,
      endMs: startMs + LASTING_HOURS * 3_600_000,
      amount: stuckValue(point.code, chanceAt(draws, i * 10 + 2)),
    }
  })
}

/** A plausible value. A lasting fault may begin before the warm-up, so the first value during the fault is unknown. */
function stuckValue(code: string, draw: number): number {
  if (code.endsWith('.CO2')) return 480 + Math.round(draw * 300)
  return code.endsWith('.RH') ? 35 + Math.round(draw * 200) / 10 : 20 + Math.round(draw * 30) / 10
}

function candidatesFor(kind: FaultKind, { sensors, drifting, gaps, dampers }: FaultTargets): readonly number[] {
  if (kind === 'stuck-damper') return dampers
  if (kind === 'gap') return gaps
  return kind === 'drift' ? drifting : sensors
}

function amountOf(kind: FaultKind, code: string, draw: number): number {
  if (kind === 'drift') return code.endsWith('.CO2') ? 15 + Math.round(draw * 20) : Math.round(10 + draw * 15) / 100
  return kind === 'stuck-damper' ? Math.round(5 + draw * 90) / 100 : 0
}
