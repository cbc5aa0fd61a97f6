import type { SimulatedFault } from '@storey/contract'
import type { BuildingModel } from '../building/model.ts'

export interface SuitableNode {
  id: string
  name: string
  /** The code of the node, and its room and storey if it has them. */
  place: string
}

const joined = (parts: readonly (string | undefined)[]) => parts.filter((part) => part !== undefined).join(' · ')

/**
 * The nodes that the form offers for a fault: elements with a damper position (`DPR`) for a stuck damper, sensors for a
 * drifting sensor, and storeys, rooms and elements with points for a silent gateway. They have the
 * order in which the API lists them. The API checks the choice again.
 */
export function suitableNodes(model: BuildingModel, fault: SimulatedFault): SuitableNode[] {
  const elementNode = ({ id, name, code }: { id: string; name: string; code: string }): SuitableNode => ({
    id,
    name,
    place: joined([code, model.spaceOf(id)?.name, model.storeyOf(id)?.name]),
  })
  if (fault === 'silent-gateway') {
    const withPoints = model.elements.filter(({ id }) => model.pointsOf(id).length > 0)
    const busy = new Set(withPoints.flatMap(({ id }) => [model.spaceOf(id)?.id, model.storeyOf(id)?.id]))
    return [
      ...model.storeys.filter(({ id }) => busy.has(id)).map(({ id, name, code }) => ({ id, name, place: code })),
      ...model.spaces
        .filter(({ id }) => busy.has(id))
        .map(({ id, name, code }) => ({ id, name, place: joined([code, model.storeyOf(id)?.name]) })),
      ...withPoints.map(elementNode),
    ]
  }
  const sensors = model.points.filter(({ pointType }) => pointType === 'SENSOR')
  if (fault === 'stuck-damper') {
    const dampers = sensors.filter(({ code }) => code.endsWith('.DPR'))
    return dampers.flatMap(({ elementId }) => {
      const element = model.element(elementId)
      return element ? [elementNode(element)] : []
    })
  }
  return sensors.map(({ id, name, code }) => ({
    id,
    name,
    place: joined([code, model.spaceOf(id)?.name, model.storeyOf(id)?.name]),
  }))
}
