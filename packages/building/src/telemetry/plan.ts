import type { Building, Element, Space } from '../building.ts'
import { hash128 } from '../random/hash.ts'
import { type Climate, climateOf } from './conditions.ts'
import { type Counter, countersOf } from './counters.ts'
import { createLoadTotals, type LoadTotals } from './energy.ts'
import { type FaultTargets, faultTargets } from './injected-faults.ts'
import { type PlantSignal, plantSignals } from './plant-signals.ts'
import type { ElementPoint, PointsOf } from './points-of.ts'
import { type BoxSignal, boxSignals, type RoomSignal, roomSignals } from './room-signals.ts'
import { type RoomModel, roomModel } from './rooms.ts'

/** A point with the signal that computes its values. */
export interface PlannedPoint<S> {
  pointIndex: number
  seed: number
  signal: S
}

export interface PlannedRoom {
  room: RoomModel
  points: PlannedPoint<RoomSignal>[]
}

/** The rooms that a VAV box supplies, or one room without a box. */
export interface Zone {
  rooms: PlannedRoom[]
  box: PlannedPoint<BoxSignal>[]
  /** Index of the damper position point, by which faults refer to the box; -1 without a box. */
  damperPoint: number
  /** Index of the air handler; -1 for rooms that have none. */
  handler: number
}

/** A machine of the plant. `number` is its index among the `count` machines of the same kind. */
export interface Machine {
  elementType: string
  elementSeed: number
  number: number
  count: number
  points: PlannedPoint<PlantSignal>[]
}

/** Everything of a building's telemetry that does not depend on the date. */
export interface TelemetryModel {
  building: Building
  climate: Climate
  loadTotals: LoadTotals
  targets: FaultTargets
  zones: Zone[]
  handlers: Machine[]
  machines: Machine[]
  counters: Counter[]
}

export function planTelemetry(building: Building): TelemetryModel {
  const seed = hash128(`${building.spec.seed}\u0000telemetry`)
  const climate = climateOf(building, seed[0]! | 0)
  const pointsOf = pointsByElement(building)
  const ahus = building.elements.filter((element) => element.elementType === 'ahu')
  const zones = zonesOf(building, pointsOf, handlerOf(ahus))
  const others = building.elements.filter((element) => element.elementType !== 'ahu')
  return {
    building,
    climate,
    loadTotals: createLoadTotals(climate),
    targets: faultTargets(building, seed[1]! | 0),
    zones,
    handlers: machinesOf(ahus, pointsOf),
    machines: machinesOf(others, pointsOf).filter((machine) => machine.points.length > 0),
    counters: countersOf(building, pointsOf),
  }
}

function pointsByElement({ points }: Building): PointsOf {
  const byElement = new Map<string, ElementPoint[]>()
  points.forEach((point, index) => {
    const suffix = point.code.slice(point.code.lastIndexOf('.') + 1)
    const entry = { index, suffix, seed: hash128(point.globalId)[0]! | 0 }
    const list = byElement.get(point.elementKey)
    if (list) list.push(entry)
    else byElement.set(point.elementKey, [entry])
  })
  return (elementKey) => byElement.get(elementKey) ?? []
}

function planned<S>(element: Element, pointsOf: PointsOf, signals: Record<string, S>): PlannedPoint<S>[] {
  return pointsOf(element.key).flatMap(({ index, suffix, seed }) => {
    const signal = signals[`${element.elementType}/${suffix}`]
    return signal ? [{ pointIndex: index, seed, signal }] : []
  })
}

/** Returns a function that gives the index of the air handler of a VAV box or of a room without a box; -1 for none. */
function handlerOf(ahus: readonly Element[]): (key: string) => number {
  const byKey = new Map<string, number>()
  ahus.forEach((ahu, i) => {
    for (const key of ahu.serves) byKey.set(key, i)
  })
  return (key) => byKey.get(key) ?? -1
}

/** The seed depends only on the room, so that the room's sensors and `peopleOfDay` count the same people. */
export const roomOf = (space: Space): RoomModel => roomModel(space, hash128(space.globalId)[0]! | 0)

function zonesOf(building: Building, pointsOf: PointsOf, handler: (key: string) => number): Zone[] {
  const rooms = new Map<string, PlannedRoom>()
  for (const space of building.spaces) {
    rooms.set(space.key, { room: roomOf(space), points: [] })
  }
  const boxes: Element[] = []
  for (const element of building.elements) {
    if (element.elementType === 'vav') boxes.push(element)
    else if (element.spaceKey) rooms.get(element.spaceKey)!.points.push(...planned(element, pointsOf, roomSignals))
  }
  const zones: Zone[] = boxes.map((box) => {
    const own = box.serves.map((key) => rooms.get(key)!)
    for (const key of box.serves) rooms.delete(key)
    const damper = pointsOf(box.key).find((point) => point.suffix === 'DPR')
    return {
      rooms: own,
      box: planned(box, pointsOf, boxSignals),
      damperPoint: damper?.index ?? -1,
      handler: handler(box.key),
    }
  })
  for (const [key, room] of rooms) {
    const supplied = handler(key)
    // No value depends on a room that has neither points nor an air handler.
    if (room.points.length > 0 || supplied >= 0)
      zones.push({ rooms: [room], box: [], damperPoint: -1, handler: supplied })
  }
  return zones
}

function machinesOf(elements: readonly Element[], pointsOf: PointsOf): Machine[] {
  const counts = new Map<string, number>()
  const machines = elements.map((element) => {
    const number = counts.get(element.elementType) ?? 0
    counts.set(element.elementType, number + 1)
    const elementSeed = hash128(element.globalId)[0]! | 0
    return {
      elementType: element.elementType,
      elementSeed,
      number,
      count: 0,
      points: planned(element, pointsOf, plantSignals),
    }
  })
  for (const machine of machines) machine.count = counts.get(machine.elementType)!
  return machines
}
